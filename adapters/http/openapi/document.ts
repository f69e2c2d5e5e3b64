/** The OpenAPI 3.1 document, made of the operations as they were declared. */
import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { STATUS, type ErrorCode } from '../middleware/errors.ts'
import { sessionCookieName } from '../middleware/session-cookie.ts'
import type { Credential, Operation } from './operation.ts'
import { refusalSchema } from './refusals.ts'

/** Each is one way in a request; a credential that goes in several places has several. */
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

/** As the router's patterns have them; ids are positive ints, what is none is 404. */
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

/** `/api/webhooks/:id` as the document writes it. */
export const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/** Such as `put-api-webhooks-id`: the same in every version of the document. */
const operationId = ({ method, path }: Operation): string =>
  [method, ...path.split(/[^\w]+/).filter(Boolean)].join('-').toLowerCase()

const refusalResponses = (codes: readonly ErrorCode[]): RouteConfig['responses'] => {
  const statuses = [...new Set(codes.map((code) => STATUS[code]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => STATUS[code] === status)
      const schemas = here.map(refusalSchema)
      const schema = schemas.length === 1 ? schemas[0]! : z.union(schemas)
      return [status, { description: here.join(', '), content: { 'application/json': { schema } } }]
    }),
  )
}

const routeOf = (operation: Operation, schemes: ReturnType<typeof schemesAt>): RouteConfig => {
  const { method, path, tag, summary, credentials, scopes, query, body, answers, refuses } = operation
  const params = parametersOf(path)
  return {
    method,
    path: templateOf(path),
    operationId: operationId(operation),
    tags: [tag],
    summary,
    security: credentials.flatMap((credential) => Object.keys(schemes[credential]).map((scheme) => ({ [scheme]: [] }))),
    // Of which a scoped key needs one; with none no scoped key may.
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
                (body.mediaTypes ?? ['application/json']).map((type) => [type, { schema: body.schema }]),
              ),
            },
          }
        : {}),
    },
    responses: {
      ...refusalResponses(refuses),
      ...Object.fromEntries(
        answers.map(({ status, description, mediaType, schema }) => [
          status,
          { description, content: { [mediaType]: { schema: schema ?? z.string() } } },
        ]),
      ),
    },
  }
}

/** The generator writes a pattern's flags behind it; JSON Schema has none, and reads every pattern as if by `u`. */
const withoutFlags = (key: string, value: unknown): unknown =>
  key === 'pattern' && typeof value === 'string' ? value.replace(/\/u$/, '') : value

/** @param baseUrl  where the service is reached, without a slash at its end */
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
      version: '1',
      description: 'Baoco turns bank notifications into transactions, and transactions into webhooks.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'This server' },
      { url: baseUrl, description: 'The public address' },
    ],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
  })
  return JSON.parse(JSON.stringify(document), withoutFlags) as object
}
