// Tests: tests/integration/http/document.test.ts
/** Finishes the generated document, so that client generators and readers get what they need. */
import { DESCRIPTIONS } from './descriptions.ts'
import { exampleOf, isObject, type Json, type JsonObject } from './examples.ts'

/** Calls a function with every object inside, innermost first. It returns the object to keep. */
const mapped = (value: Json, change: (object: JsonObject) => JsonObject): Json => {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)])))
}

const isNullable = (schema: JsonObject): boolean => Array.isArray(schema.type) && schema.type.includes('null')

/** Classes of characters that not every language knows, such as Python, as ranges. */
const RANGES: Record<string, string> = {
  '\\p{Cc}': '\\u0000-\\u001f\\u007f-\\u009f',
  '\\p{Surrogate}': '\\ud800-\\udfff',
}

/** The generator appends a pattern's flags. JSON Schema has no flags and reads every pattern as if it had the flag `u`. */
const withPlainPattern = (schema: JsonObject): JsonObject => {
  if (typeof schema.pattern !== 'string') return schema
  const pattern = schema.pattern.replace(/\/u$/, '').replace(/\\p\{\w+\}/g, (name) => RANGES[name] ?? name)
  return { ...schema, pattern }
}

/** A default of null says only that the field may be missing. Generators of clients write it as a name that Python does not have. */
const withoutNullDefault = (schema: JsonObject): JsonObject => {
  const { default: usual, ...rest } = schema
  return usual === null ? rest : schema
}

/** A single allowed truth value becomes an example, because generators of clients would compare the value with a text. */
const withoutTruthValues = (schema: JsonObject): JsonObject => {
  const { enum: allowed, ...rest } = schema
  if (schema.type !== 'boolean' || !Array.isArray(allowed) || allowed.length !== 1) return schema
  return { description: `Always ${String(allowed[0])}.`, ...rest, examples: allowed }
}

/** `anyOf` of single numbers becomes one list of them. */
const withOneList = (schema: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const numbers = anyOf.flatMap((each) =>
    isObject(each) && each.type === 'number' && Array.isArray(each.enum) && Object.keys(each).length === 2
      ? each.enum
      : [],
  )
  return numbers.length === anyOf.length ? { type: 'integer', enum: numbers, ...rest } : schema
}

/** A release may add fields. Only bodies of requests refuse unknown ones. */
const withoutClosing = ({ additionalProperties, ...rest }: JsonObject): JsonObject =>
  additionalProperties === undefined || additionalProperties === false ? rest : { additionalProperties, ...rest }

/** Components are parts of answers. Those that are parts of requests are open, too: a notification may have any field. */
const withOpenAnswers = (document: JsonObject): void => {
  const { components, paths } = document as unknown as {
    components: { schemas: Json }
    paths: Record<string, Record<string, { responses: Json }>>
  }
  components.schemas = mapped(components.schemas, withoutClosing)
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations)) operation.responses = mapped(operation.responses, withoutClosing)
}

/** A component is never null itself, because clients cannot generate a class of it. Its references say that it may be. */
const withNullAtReferences = (document: JsonObject): JsonObject => {
  const { components } = document as { components: { schemas: Record<string, JsonObject> } }
  const nullable = new Set(Object.keys(components.schemas).filter((name) => isNullable(components.schemas[name]!)))
  const changed = mapped(document, (object) =>
    typeof object.$ref === 'string' && nullable.has(object.$ref.split('/').at(-1)!)
      ? { anyOf: [{ $ref: object.$ref }, { type: 'null' }] }
      : object,
  ) as typeof document & { components: { schemas: Record<string, JsonObject> } }
  for (const name of nullable) {
    const types = (changed.components.schemas[name]!.type as string[]).filter((type) => type !== 'null')
    changed.components.schemas[name]!.type = types.length === 1 ? types[0]! : types
  }
  return changed
}

interface Media {
  schema: JsonObject
  example?: Json
}
interface WithContent {
  content?: Record<string, Media>
}
type DocumentedOperation = JsonObject & {
  operationId: string
  parameters?: ({ name: string; schema: JsonObject; example?: Json } & JsonObject)[]
  requestBody?: WithContent
  responses: Record<string, WithContent>
}

const withExamples = (document: JsonObject): void => {
  const { components, paths } = document as unknown as {
    components: { schemas: JsonObject }
    paths: Record<string, Record<string, DocumentedOperation>>
  }
  const give = ({ content = {} }: WithContent, textOf = ''): void => {
    for (const [type, media] of Object.entries(content))
      media.example = exampleOf(media.schema, components.schemas, type === 'text/plain' ? textOf : '')
  }
  for (const operations of Object.values(paths))
    for (const operation of Object.values(operations)) {
      const description = DESCRIPTIONS[operation.operationId]
      if (description !== undefined) operation.description = description
      for (const parameter of operation.parameters ?? []) {
        const example = exampleOf(parameter.schema, components.schemas, parameter.name)
        // `/docs` sends every `example` unless it is deleted. All filters at once find nothing.
        if (parameter.required === true) parameter.example = example
        else parameter.schema.examples = [example]
      }
      if (operation.requestBody) give(operation.requestBody, 'text')
      for (const response of Object.values(operation.responses)) give(response)
    }
}

/** @param generated  the document as the generator made it */
export const finished = (generated: object): object => {
  const plain = JSON.parse(JSON.stringify(generated)) as JsonObject
  const document = withNullAtReferences(
    mapped(plain, (object) =>
      withOneList(withoutTruthValues(withoutNullDefault(withPlainPattern(object)))),
    ) as JsonObject,
  )
  withOpenAnswers(document)
  withExamples(document)
  return document
}
