/** The API's document for tests: its operations, and a check of answers against it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsDefault from 'ajv-formats'

// Its types declare a default export that Node does not find there.
const addFormats = addFormatsDefault as unknown as (ajv: Ajv2020) => void

export interface Schema {
  [keyword: string]: unknown
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
}

interface Content {
  content?: Record<string, { schema: Schema; example?: unknown }>
}

export interface DocumentedOperation {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content & { description: string }>
  'x-operator-only'?: true
  /** A scoped key needs one of these. */
  'x-scopes'?: string[]
}

export interface OpenApiDocument {
  openapi: string
  paths: Record<string, Record<string, DocumentedOperation>>
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> }
}

/** An operation with its method and path. */
export interface Located extends DocumentedOperation {
  method: string
  /** The path as in the document: `/api/webhooks/{id}`. */
  path: string
}

export const operationsOf = ({ paths }: OpenApiDocument): Located[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

export interface Answered {
  method: string
  /** With or without its query. */
  path: string
  status: number
  contentType: string | null
  body: unknown
}

/** Answers without an entry in the document: an unknown path or method. */
const UNDOCUMENTED: Record<number, string> = { 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED', 414: 'QUERY_TOO_LONG' }

const segmentsOf = (path: string): string[] => path.split('?')[0]!.split('/')

const fits = (template: readonly string[], segments: readonly string[]): boolean =>
  template.length === segments.length &&
  template.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))

/** Clients must accept more fields, because a later release may have them. This one declares all that it has. */
const closed = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(closed) as Value
  if (typeof value !== 'object' || value === null) return value
  const inside = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each as unknown)]))
  const isOpen = inside.type === 'object' && inside.properties && inside.additionalProperties === undefined
  return (isOpen ? { ...inside, additionalProperties: false } : inside) as Value
}

/**
 * @returns a check that throws if an answer does not fit the document: an undeclared status, another content type, a body that breaks its
 * schema or has an undeclared field. An undeclared fault (5xx) never fits.
 */
export const answerCheck = (document: OpenApiDocument): ((answered: Answered) => void) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  addFormats(ajv)
  ajv.addSchema({ $id: 'document', components: closed(document.components) })
  // The most literal path comes first, as in the router.
  const located = operationsOf(document)
    .map((operation) => ({ operation, template: operation.path.split('/') }))
    .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)
  const validators = new Map<Schema, ValidateFunction>()
  const validatorOf = (schema: Schema): ValidateFunction => {
    let validator = validators.get(schema)
    if (!validator) {
      const absolute = JSON.parse(
        JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/'),
      ) as Schema
      validator = ajv.compile(absolute)
      validators.set(schema, validator)
    }
    return validator
  }
  const find = ({ method, path }: Answered): Located | undefined => {
    const segments = segmentsOf(path)
    return located.find((each) => each.operation.method === method && fits(each.template, segments))?.operation
  }
  return (answered) => {
    const { method, path, status, contentType, body } = answered
    const wrong = (why: string): never => {
      throw new Error(`${method} ${path} answered ${status}, ${why}: ${JSON.stringify(body)?.slice(0, 1_000)}`)
    }
    const operation = find(answered)
    if (!operation) {
      if (method === 'HEAD') return
      const code = UNDOCUMENTED[status]
      if (status >= 400 && !(code && (body as { error?: unknown } | null)?.error === code))
        wrong('which nothing declares')
      return
    }
    const response = operation.responses[status]
    if (!response) return wrong('which is not among its documented statuses')
    if (method === 'HEAD') return
    const [type] = (contentType ?? '').split(';')
    const media = response.content?.[type!] ?? response.content?.[contentType ?? '']
    if (!media) return wrong(`as ${contentType}, not as ${Object.keys(response.content ?? {}).join(', ')}`)
    const validate = validatorOf(media.schema)
    if (!validate(body)) wrong(ajv.errorsText(validate.errors, { dataVar: 'the answer' }))
  }
}
