import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { orderIdOf } from '../../../../domain/reader/order-id.ts'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming } from '../../../../domain/reader/reading.ts'

type Variation = Incoming & {
  /** Null: a text that is no certain movement of money. */
  expected: {
    transaction_type: 'credit' | 'debit'
    amount: string
    balance_after: string | null
    order_id: string | null
  } | null
}

/** Invented texts in the forms of banks and wallets: with and without diacritics, hidden balances, fees, other separators and dates. */
const variations = readFileSync(new URL('../../../corpus/variations.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Variation)

describe('variations of bank texts', () => {
  for (const { expected, ...incoming } of variations)
    it(`are read as expected: ${[incoming.title, incoming.text].join(' ').slice(0, 100).replaceAll('\n', ' ')}`, () => {
      const { reading } = read(incoming, new Date('2026-11-20T03:00:00Z'))
      if (!expected || !reading) return void expect(reading).to.equal(expected)
      const { transaction_type, amount, balance_after, content } = reading
      const order_id = orderIdOf(content, incoming.text, ['DH'])?.order_id ?? null
      expect({ transaction_type, amount, balance_after, order_id }).to.deep.equal(expected)
    })
})
