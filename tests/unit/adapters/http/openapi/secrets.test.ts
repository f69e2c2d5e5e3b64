import { expect } from 'chai'
import { z } from 'zod'
import { maskOf, secret } from '../../../../../adapters/http/openapi/secrets.ts'

const Rule = z.strictObject({ id: z.int(), secret_key: secret(z.string()) }).meta({ id: 'MaskedRule' })
const RULE = { id: 1, secret_key: 'x' }
const MASKED = { id: 1, secret_key: null }

describe('secrets in responses', () => {
  for (const [title, schema, value, masked] of [
    ['in an object', Rule, RULE, MASKED],
    ['in a list', z.array(Rule), [RULE, RULE], [MASKED, MASKED]],
    [
      'deep inside',
      z.strictObject({ data: z.strictObject({ rule: Rule }) }),
      { data: { rule: RULE } },
      { data: { rule: MASKED } },
    ],
    [
      'in an extended object',
      Rule.extend({ health: z.string() }),
      { ...RULE, health: 'ok' },
      { ...MASKED, health: 'ok' },
    ],
    [
      'in an optional, nullable or defaulted one',
      z.strictObject({ a: Rule.optional(), b: Rule.nullable(), c: Rule.default(RULE) }),
      { a: RULE, b: null, c: RULE },
      { a: MASKED, b: null, c: MASKED },
    ],
    [
      'in one of several shapes',
      z.union([Rule, z.strictObject({ url: secret(z.string()) })]),
      { url: 'x' },
      { url: null },
    ],
    ['where it is left out', z.strictObject({ key: secret(z.string()).optional() }), {}, {}],
    ['behind a transformation', Rule.transform((rule) => rule), RULE, MASKED],
  ] as const)
    it(`are null ${title}`, () => {
      expect(maskOf(schema)!(value)).to.deep.equal(masked)
    })

  it('stay in the original value, because other callers may read them', () => {
    const given = { ...RULE }
    maskOf(Rule)!(given)
    expect(given).to.deep.equal(RULE)
  })

  it('need no mask if the schema has none', () => {
    expect(maskOf(z.strictObject({ id: z.int(), name: z.string().nullable() }))).to.equal(null)
  })
})
