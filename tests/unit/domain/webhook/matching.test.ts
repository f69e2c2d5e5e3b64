import { expect } from 'chai'
import type { Account, BankAccount, Rule, System } from '../../../../domain/account/account.ts'
import { match, type Movement } from '../../../../domain/webhook/matching.ts'

const system = (system_id: number, payment_prefix: string, is_active: 0 | 1 = 1): System => ({
  system_id,
  name: payment_prefix,
  type: 'custom',
  payment_prefix,
  is_active,
  created_at: '2026-01-01T00:00:00.000Z',
})

const rule = (rule_id: number, change: Partial<Rule> = {}): Rule => ({
  rule_id, name: 'a rule', url: 'https://shop.vn/', system_id: null, http_method: 'POST', filter_banks: [],
  filter_type: 'both', min_amount: null, payload_format: 'standard', custom_template: null, is_active: 1, is_auto: 0,
  max_per_minute: null, ordered: 0, sealed_secret: '', created_at: '2026-01-01T00:00:00.000Z', ...change,
}) // prettier-ignore

const account = (rules: Rule[], systems = [system(1, 'DH')], accounts: BankAccount[] = []): Account =>
  ({
    systems: new Map(systems.map((each) => [each.system_id, each])),
    rules: new Map(rules.map((each) => [each.rule_id, each])),
    bank_accounts: new Map(accounts.map((each) => [each.bank_account_id, each])),
  }) as unknown as Account

const movement: Movement = {
  bank_code: 'VCB',
  transaction_type: 'credit',
  amount: '150000.00',
  account_number: '0011000415567',
}
const found = { order_id: 'DH1042', prefix: 'DH' }
const rulesFor = (change: Partial<Rule>, moved: Partial<Movement> = {}) =>
  match(account([rule(7, change)]), { ...movement, ...moved }, found).rules

describe('matching', () => {
  it('sends nothing without an order id', () =>
    expect(match(account([rule(7)]), movement, null)).to.deep.equal({
      order_id: null,
      prefix: null,
      rules: [],
      webhook_status: 'skipped',
    }))

  it('fires every active rule for a found prefix', () =>
    expect(match(account([rule(7), rule(8), rule(9, { is_active: 0 })]), movement, found)).to.deep.equal({
      ...found,
      rules: [7, 8],
      webhook_status: 'pending',
    }))

  it('finds no match without a prefix, with an inactive system, or if no rule fits', () => {
    const noMatch = { rules: [], webhook_status: 'no_match' }
    expect(match(account([rule(7)]), movement, { order_id: 'AB12', prefix: null }))
      .to.include({ prefix: null })
      .and.deep.include(noMatch)
    expect(match(account([rule(7)], [system(1, 'DH', 0)]), movement, found)).to.deep.include(noMatch)
    expect(match(account([]), movement, found)).to.deep.include(noMatch)
    expect(match(account([rule(7, { is_active: 0 })]), movement, found)).to.deep.include(noMatch)
  })

  it('finds no match on a bank account that is switched off, even if it is masked, and matches on others', () => {
    const off: BankAccount = {
      bank_account_id: 5,
      bank_code: 'VCB',
      account_number: '0011000415567',
      is_active: 0,
      confirmed: true,
    }
    const on: BankAccount = { ...off, bank_account_id: 6, account_number: '0011000999999', is_active: 1 }
    const statusFor = (moved: Partial<Movement>) =>
      match(account([rule(7)], [system(1, 'DH')], [off, on]), { ...movement, ...moved }, found).webhook_status
    expect(statusFor({})).to.equal('no_match')
    expect(statusFor({ account_number: '0011xxxx5567' })).to.equal('no_match')
    expect(statusFor({ account_number: '0011000999999' })).to.equal('pending')
    expect(statusFor({ account_number: null })).to.equal('pending')
    expect(statusFor({ bank_code: 'MB' })).to.equal('pending')
    expect(match(account([rule(7)], [system(1, 'DH')], [off]), movement, null).webhook_status).to.equal('skipped')
  })

  it('fires a rule with a system only for the prefix of that system', () => {
    const systems = [system(1, 'DH'), system(2, 'HD')]
    const rules = [rule(7, { system_id: 1 }), rule(8, { system_id: 2 }), rule(9)]
    expect(match(account(rules, systems), movement, found).rules).to.deep.equal([7, 9])
  })

  it('applies the filters for bank, direction and amount', () => {
    expect(rulesFor({ filter_banks: ['VCB', 'MB'] })).to.deep.equal([7])
    expect(rulesFor({ filter_banks: ['MB'] })).to.deep.equal([])
    expect(rulesFor({ filter_type: 'credit' })).to.deep.equal([7])
    expect(rulesFor({ filter_type: 'debit' })).to.deep.equal([])
    expect(rulesFor({ filter_type: 'debit' }, { transaction_type: 'debit' })).to.deep.equal([7])
    expect(rulesFor({ min_amount: 150_000 })).to.deep.equal([7])
    expect(rulesFor({ min_amount: 150_000 }, { amount: '149999.99' })).to.deep.equal([])
    expect(rulesFor({ min_amount: 0 }, { amount: '0.00' })).to.deep.equal([7])
  })

  it('compares large amounts exactly', () => {
    expect(rulesFor({ min_amount: 9_007_199_254_740_991 }, { amount: '9007199254740990.99' })).to.deep.equal([])
    expect(rulesFor({ min_amount: 9_007_199_254_740_991 }, { amount: '9007199254740991.00' })).to.deep.equal([7])
  })
})
