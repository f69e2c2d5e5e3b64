/** The webhooks that the page names before a payment are those that the server calls. */
import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import { money } from '../../../../domain/money.ts'
import { match } from '../../../../domain/webhook/matching.ts'
import { calledRules, unconfirmedAccount } from '../../../../web/app/called-rules.ts'

const SYSTEMS = [
  { id: 1, payment_prefix: 'DH', is_active: 1 },
  { id: 2, payment_prefix: 'DHX', is_active: 1 },
  { id: 3, payment_prefix: 'OFF', is_active: 0 },
] as const
const RULES = [null, 1, 2].flatMap((system_id) =>
  [0, 1].flatMap((is_active) =>
    [[], ['VCB']].flatMap((filter_banks) =>
      (['credit', 'debit', 'both'] as const).flatMap((filter_type) =>
        [null, 150_000, 150_001].map((min_amount) => ({ system_id, is_active, filter_banks, filter_type, min_amount })),
      ),
    ),
  ),
)
const account = {
  systems: new Map(SYSTEMS.map(({ id, ...rest }) => [id, { ...rest, system_id: id }])),
  rules: new Map(RULES.map((rule, index) => [index, { ...rule, rule_id: index }])),
  bank_accounts: new Map(),
} as unknown as Account

describe('the webhooks that a payment calls', () => {
  it('are the same as on the server', () => {
    for (const prefix of ['DH', 'DHX', 'OFF', null])
      for (const bank_code of ['VCB', 'MB'])
        for (const transaction_type of ['credit', 'debit'] as const) {
          const movement = { bank_code, transaction_type, amount: money('150000'), account_number: '1' }
          const order_id = `${prefix ?? 'ZZ'}1042`
          const called = calledRules(
            { ...movement, amount: '150000.00', order_id } as Parameters<typeof calledRules>[0],
            RULES.map((rule, id) => ({ ...rule, id })) as never,
            SYSTEMS as never,
          )
          const expected = match(account, movement, { order_id, prefix })
          expect(called.map(({ id }) => id)).to.deep.equal(expected.rules)
        }
  })

  it('are an empty list without an order id', () => {
    const read = { bank_code: 'VCB', transaction_type: 'credit', amount: '1.00', order_id: null }
    expect(calledRules(read as never, RULES as never, SYSTEMS as never)).to.deep.equal([])
  })

  it('wait for a bank account that its owner has not confirmed, but not for money out', () => {
    const accounts = [
      { id: 1, bank_code: 'VCB', account_number: '1', is_active: 1, confirmed: true },
      { id: 2, bank_code: 'VCB', account_number: '2', is_active: 1, confirmed: false },
    ] as const
    const waitsFor = (transaction_type: 'credit' | 'debit', bank_code: string, account_number: string | null) =>
      unconfirmedAccount({ transaction_type, bank_code, account_number } as never, accounts)?.id
    expect(waitsFor('credit', 'VCB', '2')).to.equal(2)
    expect(waitsFor('credit', 'VCB', '1')).to.equal(undefined)
    expect(waitsFor('credit', 'MB', '2')).to.equal(undefined)
    expect(waitsFor('credit', 'VCB', null)).to.equal(undefined)
    expect(waitsFor('debit', 'VCB', '2')).to.equal(undefined)
  })
})
