// Tests: tests/integration/openapi/guards.test.ts
/**
 * Declares the operations of the API. One declaration mounts the route, validates the input, writes the handler's value to the response and
 * adds the operation to the OpenAPI document.
 *
 * ```ts
 * const { get, post, put, remove } = operations.of('Webhook rules', signedIn)
 *
 * get('/api/webhooks', 'List rules', data(z.array(Rule)), listRules)
 * post('/api/webhooks', 'Create a rule', body(RuleCreation), refuses('WEBHOOK_LIMIT_REACHED'), created(Rule), addRule)
 * put('/api/webhooks/:id', 'Update a rule', body(RuleChange), data(Rule), updateRule)
 * remove('/api/webhooks/:id', 'Delete a rule', noBody, refuses('AUTO_RULE'), message, deleteRule)
 * ```
 *
 * The parts that follow the tag in `of` apply to each of its operations, and come first: `signedIn`, then `operatorOnly` (others receive
 * 404); none for public operations. The parts between the summary and the handler may be in any order, except that steps run in the given
 * order:
 * - Access: `limited('login')`.
 * - Input (`input.ts`), at most one: `body(Schema)`, `optionalBody(Schema)`, `noBody`, `query(Schema)`. The handler receives the
 *   parsed value as its second argument.
 * - Response (`answers.ts`), exactly one: `data(Schema)`, `created(Schema)`, `message`, `whole(Schema)` for a flat response,
 *   `text(mediaType, …)` for a response that is not JSON. The handler returns the value, and its type is checked against the schema.
 *   Response schemas are `z.strictObject`s beside their presenter, with `.meta({ id: 'Rule' })` if the document should name them.
 * - Scopes: with `scopes('connect', …)` a scoped key needs one of them; `scopes()` accepts no scoped key. By default GET and HEAD need
 *   `read` and all other methods need `write`. Response fields that are secrets are declared with `secret(…)` (`secrets.ts`).
 * - `refuses('AUTO_RULE', …)`: codes that the handler's commands throw. The other parts add their own codes: an input adds validation and
 *   size errors, `signedIn` adds 401 and 403 and, on a write, 409, `limited` adds 429, and an `:id` in the path adds 404. Every operation
 *   has 400 and 414 for the query, and every one under `/api/` has 503.
 *
 * Handlers do not set `context.body`, and set the status only for `whole` with several statuses. Tests fail if a route is mounted without a
 * declaration or a response differs from its declaration. Tests also call every operation as the document describes. If an operation
 * needs more than that to succeed, add it to `tests/integration/openapi/requests.ts`.
 */
import type Router from '@koa/router'
import type { ApiContext, ApiMiddleware, ApiState } from '../context.ts'
import type { ErrorCode } from '../middleware/errors.ts'
import { scopeMissing, type Scope } from '../../../domain/account/api-keys.ts'
import type { Guard } from '../middleware/guard.ts'
import {
  isAnswer,
  isInput,
  type Answer,
  type InputOf,
  type Method,
  type Operation,
  type OutputOf,
} from './operation.ts'
import { maskOf, type Mask } from './secrets.ts'

/** The last argument of a declaration: calls one domain function or one query, and a presenter. */
export type Handler<Input, Output> = (context: ApiContext, input: Input) => Output | Promise<Output>

type Declare = <const Parts extends readonly Guard[]>(
  path: string,
  summary: string,
  ...line: [...Parts, Handler<InputOf<Parts>, OutputOf<Parts>>]
) => void

/** `remove` is DELETE. */
type Declarations = Record<'get' | 'head' | 'post' | 'put' | 'remove', Declare>

export interface Operations {
  /** @param tag  the heading of these operations in the document · @param access  the first parts of each operation */
  of(tag: string, ...access: readonly Guard[]): Declarations
}

const isOwnersWrite = (method: Method, parts: readonly Guard[]): boolean =>
  method !== 'get' && method !== 'head' && parts.some(({ credentials = [] }) => credentials.includes('jwt'))

/** Error codes that every operation may return. */
const refusalsOf = (method: Method, path: string, parts: readonly Guard[]): ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...parts.flatMap(({ refuses = [] }) => refuses),
    ...(path.includes('/:id') ? (['NOT_FOUND'] as const) : []),
    // Too many concurrent writes to the same account.
    ...(isOwnersWrite(method, parts) ? (['CONFLICT'] as const) : []),
    'QUERY_TOO_LONG',
    'VALIDATION_FAILED',
    ...(path.startsWith('/api/') ? (['STORE_UNAVAILABLE'] as const) : []),
  ]),
]

/** A scoped key needs one of these scopes; null if the operation does not require an account's credential. */
const scopesOf = (method: Method, parts: readonly Guard[]): readonly Scope[] | null => {
  if (!parts.some(({ credentials = [] }) => credentials.includes('api_key'))) return null
  const declared = parts.find(({ scopes }) => scopes !== undefined)?.scopes
  return declared ?? [method === 'get' || method === 'head' ? 'read' : 'write']
}

/** Every query requests personal texts with the same parameter, `include_raw`. @throws {Refused} SCOPE_MISSING */
const refuseRaw = (input: unknown): void => {
  if (typeof input === 'object' && input !== null && 'include_raw' in input && input.include_raw === true)
    throw scopeMissing([])
}

/** Removes the secrets that a scoped key may not see; null if there are none. All responses of an operation have one schema. */
const withoutSecrets = ({ answers }: Answer<unknown>): Mask | null => {
  const [schema] = answers.flatMap(({ schema }) => schema ?? [])
  return schema ? maskOf(schema) : null
}

/** @param declared  every operation is appended to this list, for the document */
export const openOperations = (router: Router<ApiState>, declared: Operation[]): Operations => {
  const declare =
    (tag: string, access: readonly Guard[], method: Method): Declare =>
    (path, summary, ...line) => {
      const parts = [...access, ...(line.slice(0, -1) as readonly Guard[])]
      const handle = line.at(-1) as Handler<unknown, unknown>
      const input = parts.find(isInput)
      const answer = parts.find(isAnswer)
      if (!answer) throw new Error(`${method} ${path} does not say what it answers`)
      const needed = scopesOf(method, parts)
      declared.push({
        method,
        path,
        tag,
        summary,
        credentials: parts.flatMap(({ credentials = [] }) => credentials),
        scopes: needed,
        operatorOnly: parts.some(({ operatorOnly }) => operatorOnly),
        refuses: refusalsOf(method, path, parts),
        query: input?.query ?? null,
        body: input?.body ?? null,
        answers: answer.answers,
      })
      const mask = parts.some(({ showsSecrets }) => showsSecrets) ? null : withoutSecrets(answer)
      const run: ApiMiddleware = async (context) => {
        // The credential is checked before the body is read. A caller that holds its body back until the credential has ended is refused.
        const isArriving = needed !== null && !context.req.complete
        const given = await input?.read(context)
        if (isArriving) await context.state.admitAgain()
        const isScoped = context.state.scoped_key !== undefined
        if (isScoped) refuseRaw(given)
        answer.write(context, await handle(context, given))
        if (isScoped && mask) context.response.body = mask(context.response.body)
      }
      const announce: ApiMiddleware = (context, next) => {
        context.state.scopes = needed!
        return next()
      }
      const steps = parts.flatMap(({ step }) => step ?? [])
      router[method](path, ...(needed === null ? steps : [announce, ...steps]), run)
    }
  return {
    of: (tag, ...access) => ({
      get: declare(tag, access, 'get'),
      head: declare(tag, access, 'head'),
      post: declare(tag, access, 'post'),
      put: declare(tag, access, 'put'),
      remove: declare(tag, access, 'delete'),
    }),
  }
}

/** A scoped key needs one of these scopes. Without arguments no scoped key is accepted. */
export const scopes = (...anyOf: Scope[]): Guard => ({ scopes: anyOf })

/** Codes that the handler's commands throw. */
export const refuses = (...codes: [ErrorCode, ...ErrorCode[]]): Guard => ({ refuses: codes })
