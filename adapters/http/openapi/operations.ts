/**
 * How an operation of the API is declared: once, in one line, which mounts the route, checks what comes in, writes what the
 * handler returns, and is the operation's entry in the OpenAPI document.
 *
 * ```ts
 * const { get, post, put, remove } = operations.of('Webhook rules')
 *
 * get('/api/webhooks', 'List rules', signedIn, data(z.array(Rule)), listRules)
 * post('/api/webhooks', 'Create a rule', signedIn, body(RuleCreation), refuses('WEBHOOK_LIMIT_REACHED'), created(Rule), addRule)
 * put('/api/webhooks/:id', 'Update a rule', signedIn, body(RuleChange), data(Rule), updateRule)
 * remove('/api/webhooks/:id', 'Delete a rule', signedIn, noBody, refuses('AUTO_RULE'), message, deleteRule)
 * ```
 *
 * The parts between summary and handler, in any order but steps as they are to run:
 * - who may: `signedIn`, `operatorOnly` after it (others get 404); nothing for a public one; `limited('login')`;
 * - what comes in (`input.ts`), at most one: `body(Schema)`, `optionalBody(Schema)`, `noBody`, `query(Schema)`. The handler
 *   gets what the schema made of it as its second argument;
 * - what goes out (`answers.ts`), exactly one: `data(Schema)`, `created(Schema)`, `message`, `whole(Schema)` for a flat one,
 *   `text(mediaType, …)` for what is no JSON. The handler returns the value, and its type is checked against the schema. Schemas
 *   of answers are `z.strictObject`s beside their presenter, with `.meta({ id: 'Rule' })` where the document is to name them;
 * - which scoped keys may: `scopes('connect', …)`, any one of them, and `scopes()` none. Where it is not said a GET needs `read` and
 *   anything else `write`. Fields of answers that are secrets are declared with `secret(…)` (`secrets.ts`);
 * - `refuses('AUTO_RULE', …)`: codes the handler's commands throw, beyond what the other parts bring along: validation and sizes
 *   by an input, 401 and 403 by `signedIn`, 409 by `signedIn` on a write, 429 by `limited`, 404 by an `:id` in the path, 400 and 414 for the query and 503 always.
 *
 * Handlers never touch `context.body` or the status. Tests fail for a route that is mounted past this, and for an answer
 * that is not as declared. Tests also call every operation as the document says: where that is not enough for it to succeed, say what
 * it needs in `tests/integration/openapi/requests.ts`.
 */
import type Router from '@koa/router'
import type { ApiContext, ApiMiddleware, ApiState } from '../context.ts'
import type { ErrorCode } from '../middleware/errors.ts'
import { scopeMissing, type Scope } from '../../../domain/account/api-keys.ts'
import {
  isAnswer,
  isInput,
  type Answer,
  type InputOf,
  type Method,
  type Operation,
  type OutputOf,
  type Part,
} from './operation.ts'
import { maskOf, type Mask } from './secrets.ts'

/** The last of a line: one function of the domain or one query, and a presenter. */
export type Handler<Input, Output> = (context: ApiContext, input: Input) => Output | Promise<Output>

type Declare = <const Parts extends readonly Part[]>(
  path: string,
  summary: string,
  ...line: [...Parts, Handler<InputOf<Parts>, OutputOf<Parts>>]
) => void

export interface Declarations {
  get: Declare
  head: Declare
  post: Declare
  put: Declare
  /** DELETE. */
  remove: Declare
}

export interface Operations {
  /** @param tag  the heading under which the document shows them */
  of(tag: string): Declarations
}

const isOwnersWrite = (method: Method, parts: readonly Part[]): boolean =>
  method !== 'get' && method !== 'head' && parts.some(({ credentials = [] }) => credentials.includes('jwt'))

/** Error codes that every operation may return. */
const refusalsOf = (method: Method, path: string, parts: readonly Part[]): ErrorCode[] => [
  ...new Set<ErrorCode>([
    ...parts.flatMap(({ refuses = [] }) => refuses),
    ...(path.includes('/:id') ? (['NOT_FOUND'] as const) : []),
    // A write that too many others compete with.
    ...(isOwnersWrite(method, parts) ? (['CONFLICT'] as const) : []),
    'QUERY_TOO_LONG',
    'VALIDATION_FAILED',
    ...(path.startsWith('/api/') ? (['STORE_UNAVAILABLE'] as const) : []),
  ]),
]

/** Scopes of which a scoped key needs one; null where no account's credential is asked for. */
const scopesOf = (method: Method, parts: readonly Part[]): readonly Scope[] | null => {
  if (!parts.some(({ credentials = [] }) => credentials.includes('api_key'))) return null
  const said = parts.find(({ scopes }) => scopes !== undefined)?.scopes
  return said ?? [method === 'get' || method === 'head' ? 'read' : 'write']
}

/** What personal texts are asked for by is the same in every query. @throws {Refused} SCOPE_MISSING */
const refuseRaw = (input: unknown): void => {
  if (typeof input === 'object' && input !== null && 'include_raw' in input && input.include_raw === true)
    throw scopeMissing([])
}

/** Removes what a scoped key may not see; null where there is nothing. An operation's answers have one schema. */
const withoutSecrets = ({ answers }: Answer<unknown>): Mask | null => {
  const [schema] = answers.flatMap(({ schema }) => schema ?? [])
  return schema ? maskOf(schema) : null
}

/** @param declared  gets every operation, for the document */
export const openOperations = (router: Router<ApiState>, declared: Operation[]): Operations => {
  const declare =
    (tag: string, method: Method): Declare =>
    (path, summary, ...line) => {
      const parts = line.slice(0, -1) as readonly Part[]
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
        const given = await input?.read(context)
        const isScoped = context.state.scoped_key !== undefined
        if (isScoped) refuseRaw(given)
        answer.write(context, await handle(context, given))
        if (isScoped && mask) context.response.body = mask(context.response.body)
      }
      const announce: ApiMiddleware[] =
        needed === null
          ? []
          : [
              (context, next) => {
                context.state.scopes = needed
                return next()
              },
            ]
      router[method](path, ...announce, ...parts.flatMap(({ step }) => step ?? []), run)
    }
  return {
    of: (tag) => ({
      get: declare(tag, 'get'),
      head: declare(tag, 'head'),
      post: declare(tag, 'post'),
      put: declare(tag, 'put'),
      remove: declare(tag, 'delete'),
    }),
  }
}

/** Any one of them lets a scoped key do it; none: no scoped key may. */
export const scopes = (...anyOf: Scope[]): Part => ({ scopes: anyOf })

/** Codes that the handler's commands throw. */
export const refuses = (...codes: [ErrorCode, ...ErrorCode[]]): Part => ({ refuses: codes })
