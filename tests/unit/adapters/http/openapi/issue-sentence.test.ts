import { expect } from 'chai'
import { z } from 'zod'
import { sentenceOf } from '../../../../../adapters/http/openapi/issue-sentence.ts'

const field = (schema: z.ZodType, value: unknown): string =>
  sentenceOf(z.object({ field: schema }).safeParse({ field: value }).error!.issues[0]!)

describe('the sentence of an invalid value', () => {
  const bit = z.union([z.literal(0), z.literal(1)])

  for (const [schema, value, sentence] of [
    [z.string(), undefined, 'This field is required.'],
    [z.string(), null, 'This must be text, not null.'],
    [z.string(), 5, 'This must be text.'],
    [z.number(), 'x', 'This must be a number.'],
    [z.int(), 1.5, 'This must be a whole number.'],
    [z.boolean(), 'yes', 'This must be true or false.'],
    [z.array(z.string()), 'VCB', 'This must be a list.'],
    [z.strictObject({}), [], 'This must be an object.'],
    [z.enum(['credit', 'debit', 'both']), 'in', 'This must be credit, debit or both.'],
    [bit, 2, 'This must be 0 or 1.'],
    [z.union([bit, z.boolean()]), 'x', 'This must be 0, 1, true or false.'],
    [z.union([z.string(), z.object({ a: z.string() })]), 5, 'This must be text or an object.'],
    [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), {}, 'This value is not valid.'],
    [z.string().min(1), '', 'This must not be empty.'],
    [z.string().min(3), 'x', 'This must have at least 3 characters.'],
    [z.string().max(3), 'xxxx', 'This must have at most 3 characters.'],
    [z.array(z.string()).max(1), ['x', 'y'], 'This must have at most 1 item.'],
    [z.int().min(1), 0, 'This must be at least 1.'],
    [z.int().positive(), 0, 'This must be more than 0.'],
    [z.int().max(65_535), 99_999, 'This must be at most 65535.'],
    [z.string().min(1, 'Name the shop.'), '', 'Name the shop.'],
  ] as [z.ZodType, unknown, string][])
    it(`is “${sentence}” for ${JSON.stringify(value)}`, () => {
      expect(field(schema, value)).to.equal(sentence)
    })

  it('names the body if the whole body has the wrong type', () => {
    expect(sentenceOf(z.object({}).safeParse([]).error!.issues[0]!)).to.equal('The body must be a JSON object.')
  })
})
