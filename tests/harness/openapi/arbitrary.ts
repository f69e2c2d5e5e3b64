/** Generates values from a JSON schema: values that fit it, and values that test what it protects against (fast-check). */
import fc, { type Arbitrary } from 'fast-check'
import type { OpenApiDocument, Schema } from './document.ts'

/** Texts that break programs. None of them may cause a fault, in any position. */
export const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u200b',
  '%',
  '_',
  '\\',
  "' OR 1=1 --",
  "'; DROP TABLE read_model.transaction; --",
  '%%%%_\\%',
  '${7*7}{{7*7}}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31',
  '-1',
  '1e400',
  'NaN',
  '9223372036854775808',
  '99999999999999999999999999',
  'x'.repeat(1_500),
  'đ'.repeat(300),
]

const ODD_VALUES: readonly unknown[] = [
  ...ODD_TEXTS,
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  [],
  {},
  [[[[]]]],
  [null],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__": {"operator": true}, "constructor": {"prototype": {}}}'),
]

const oddValue: Arbitrary<unknown> = fc.oneof(fc.constantFrom(...ODD_VALUES), fc.jsonValue({ maxDepth: 3 }))

const printable = fc.string({ unit: 'grapheme', maxLength: 40 })

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** fast-check's own addresses take 1.5 s of CPU time before the first one. */
const url = fc
  .tuple(fc.constantFrom('https', 'http'), fc.domain(), printable)
  .map(([scheme, host, text]) => `${scheme}://${host}/${encodeURIComponent(text)}`)

const FORMATS: Record<string, Arbitrary<string>> = {
  date: day.map((moment) => moment.slice(0, 10)),
  'date-time': day,
  email: fc.emailAddress(),
  uri: url,
}

const texts = ({ pattern, format, minLength = 0, maxLength = 1_000 }: Schema): Arbitrary<string> => {
  const byFormat = FORMATS[format as string]
  if (byFormat) return byFormat
  const least = minLength as number
  const bounded = fc.string({
    unit: 'grapheme',
    minLength: least,
    maxLength: Math.max(least, Math.min(maxLength as number, least + 40)),
  })
  if (pattern === undefined) return bounded
  const source = new RegExp(pattern as string, 'u')
  // A generator of matching texts cannot handle Unicode classes. For these, filter generated texts instead.
  return /\\[pP]\{/.test(pattern as string)
    ? bounded.filter((text) => source.test(text) && text.trim().length >= least)
    : fc.stringMatching(source)
}

const bound = (schema: Schema, inclusive: string, exclusive: string, step: number, none: number): number =>
  (schema[inclusive] as number | undefined) ??
  (schema[exclusive] === undefined ? none : (schema[exclusive] as number) + step)

const objects = (schema: Schema, within: (schema: Schema) => Arbitrary<unknown>): Arbitrary<object> => {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = (schema.required ?? []) as string[]
  const fields = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, within(property)]))
  return fc.record(fields, { requiredKeys: required })
}

/** Values that fit a schema of the document. */
export const fittingIn = (document: OpenApiDocument): ((schema: Schema) => Arbitrary<unknown>) => {
  const fitting = (schema: Schema): Arbitrary<unknown> => {
    if (typeof schema.$ref === 'string') return fitting(document.components.schemas[schema.$ref.split('/').at(-1)!]!)
    if ('const' in schema) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
    const either = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
    if (either) return fc.oneof(...either.map(fitting))
    const [type, ...others] = [schema.type].flat() as (string | undefined)[]
    if (others.length > 0) return fc.oneof(...[type, ...others].map((each) => fitting({ ...schema, type: each })))
    switch (type) {
      case 'string':
        return texts(schema)
      case 'integer':
        return fc.integer({
          min: bound(schema, 'minimum', 'exclusiveMinimum', 1, -1_000),
          max: Math.min(bound(schema, 'maximum', 'exclusiveMaximum', -1, 1e9), 1e9),
        })
      case 'number':
        return fc.integer({ min: 0, max: 1e6 })
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'array': {
        const {
          items = {},
          minItems = 0,
          maxItems = 3,
        } = schema as { items?: Schema; minItems?: number; maxItems?: number }
        return fc.array(fitting(items), { minLength: minItems, maxLength: Math.max(minItems, Math.min(3, maxItems)) })
      }
      case 'object':
        return objects(schema, fitting)
      case undefined:
      default:
        return fc.oneof(printable, fc.integer(), fc.constant(null))
    }
  }
  return fitting
}

/** A body that fits except for one thing: an odd, missing or unknown field, or the whole body. */
export const nearly = (fitting: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: oddValue },
    {
      weight: 6,
      arbitrary: fc
        .record({
          value: fitting,
          odd: oddValue,
          index: fc.nat({ max: 30 }),
          how: fc.constantFrom('odd', 'missing', 'more'),
        })
        .map(({ value, odd, index, how }) => {
          if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd
          const entries = Object.entries(value)
          const at = entries.length === 0 ? 0 : index % entries.length
          const name = entries[at]?.[0] ?? 'name'
          if (how === 'missing') return Object.fromEntries(entries.filter(([each]) => each !== name))
          return { ...value, [how === 'more' ? `${name}_` : name]: odd }
        }),
    },
  )
