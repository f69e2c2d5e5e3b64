// Tests: tests/integration/http/document.test.ts
/** Generates the OpenAPI 3.1 document from the declared operations. */
import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { STATUS, type ErrorCode } from '../middleware/errors.ts'
import { sessionCookieName } from '../middleware/session-cookie.ts'
import { VERSION } from '../../system/version.ts'
import { finished } from './finish-document.ts'
import type { Credential } from '../middleware/guard.ts'
import type { Operation } from './operation.ts'
import { refusalSchema } from './refusals.ts'
import { WEBHOOKS } from './webhooks.ts'

/** Security schemes. A credential that can be sent in several positions has one scheme for each. */
const schemesAt = (baseUrl: string): Record<Credential, Record<string, object>> => ({
  jwt: {
    jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'JWT from the login. Valid for 7 days.' },
  },
  api_key: {
    api_key: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'API key of the account.' },
    api_key_authorization: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The word `Apikey`, a space, and the API key.',
    },
    api_key_query: { type: 'apiKey', in: 'query', name: 'api_key', description: 'For debugging in a browser.' },
  },
  session: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(baseUrl),
      description: 'Session of the dashboard.',
    },
  },
  receive_key: {
    receive_key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
      description: 'Scoped key with `receive`. It is also accepted in place of a device token.',
    },
  },
  device: {
    device: { type: 'apiKey', in: 'header', name: 'X-Device-Token', description: 'Token of a paired device.' },
    device_bearer: { type: 'http', scheme: 'bearer', description: 'Token of a paired device.' },
  },
})

/** Parameters match the router's patterns. Ids are positive integers; any other id is answered with 404. */
const parameterSchema = (name: string) =>
  name.endsWith('id')
    ? z
        .int()
        .positive()
        .max(1e15 - 1)
    : z.string()

const parametersOf = (path: string): z.ZodObject | undefined => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  return names.length === 0
    ? undefined
    : z.object(Object.fromEntries(names.map((name) => [name, parameterSchema(name)])))
}

/** Converts a router path to the document's format: `/api/webhooks/:id` becomes `/api/webhooks/{id}`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/** Such as `put-api-webhooks-id`. It must stay the same in every version of the document. */
const operationId = ({ method, path }: Operation): string =>
  [method, ...path.split(/[^\w]+/).filter(Boolean)].join('-').toLowerCase()

/** Responses with these statuses say when to send the request again. */
const ASKS_TO_RETRY: ReadonlySet<number> = new Set([429, 503])
const RETRY_AFTER = {
  'Retry-After': {
    schema: { type: 'integer' as const },
    description: 'Send the request again after this number of seconds.',
  },
}

type Responses = Record<string, ResponseConfig>

const refusalResponses = (codes: readonly ErrorCode[]): Responses => {
  const statuses = [...new Set(codes.map((code) => STATUS[code]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => STATUS[code] === status)
      const schemas = here.map(refusalSchema)
      const schema = schemas.length === 1 ? schemas[0]! : z.union(schemas)
      const headers = ASKS_TO_RETRY.has(status) ? { headers: RETRY_AFTER } : {}
      return [status, { description: here.join(', '), ...headers, content: { 'application/json': { schema } } }]
    }),
  )
}

/** A response may have one of several media types. */
const contentOf = (answers: Operation['answers'], status: number) =>
  Object.fromEntries(
    answers
      .filter((answer) => answer.status === status)
      .map(({ mediaType, schema }) => [mediaType, { schema: schema ?? z.string() }]),
  )

/** A status may have a refusal as JSON, and another answer for a browser. */
const responsesOf = ({ answers, refuses }: Operation): Responses => {
  const refusals = refusalResponses(refuses)
  const others = answers.map(({ status, description }): [number, ResponseConfig] => {
    const content = { ...refusals[status]?.content, ...contentOf(answers, status) }
    return [status, { ...refusals[status], description, content }]
  })
  return { ...refusals, ...Object.fromEntries(others) }
}

const routeOf = (operation: Operation, schemes: ReturnType<typeof schemesAt>): RouteConfig => {
  const { method, path, tag, summary, credentials, scopes, query, body } = operation
  const params = parametersOf(path)
  return {
    method,
    path: templateOf(path),
    operationId: operationId(operation),
    tags: [tag],
    summary,
    security: credentials.flatMap((credential) => Object.keys(schemes[credential]).map((scheme) => ({ [scheme]: [] }))),
    // A scoped key needs one of these. An empty list means that no scoped key is accepted.
    ...(scopes ? { 'x-scopes': scopes } : {}),
    ...(operation.operatorOnly ? { 'x-operator-only': true } : {}),
    request: {
      ...(params ? { params } : {}),
      ...(query ? { query } : {}),
      ...(body
        ? {
            body: {
              required: body.required,
              content: Object.fromEntries(
                (body.mediaTypes ?? ['application/json']).map((type) => [
                  type,
                  { schema: type === 'text/plain' ? z.string() : body.schema },
                ]),
              ),
            },
          }
        : {}),
    },
    responses: responsesOf(operation),
  }
}

const INTRODUCTION = [
  'Baoco turns bank notifications into transactions, and transactions into webhooks.',
  'Send the API key as `X-Api-Key`. Use webhooks for payments: an account that polls the API is locked.',
  'Programs read `error` of a refused request; `message` is one sentence for people.',
  'After 429 or 503, send the request again after the number of seconds in `Retry-After`.',
  'Amounts are decimal strings, times are in UTC, and days are days in Vietnam.',
  'A release may add fields and values: ignore those that you do not know.',
].join(' ')

/** @param baseUrl  the public URL of the service, without a trailing slash */
export const openApiDocument = (operations: readonly Operation[], baseUrl: string): object => {
  const registry = new OpenAPIRegistry()
  const schemes = schemesAt(baseUrl)
  for (const ways of Object.values(schemes))
    for (const [name, scheme] of Object.entries(ways))
      registry.registerComponent('securitySchemes', name, scheme as never)
  for (const operation of operations) registry.registerPath(routeOf(operation, schemes))
  const document = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Baoco',
      version: VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'This server' },
      { url: baseUrl, description: 'The public address' },
    ],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
  })
  return { ...finished(document), webhooks: WEBHOOKS }
}
