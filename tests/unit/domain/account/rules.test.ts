/** Tests of rules and systems: given an account, when a command arrives, then these events result. */
import { expect } from 'chai'
import { banks } from '../../../../domain/banks/index.ts'
import { evolve, type Account } from '../../../../domain/account/account.ts'
import { createFirst } from '../../../../domain/account/access.ts'
import type { AccountEvent, Plan } from '../../../../domain/account/events.ts'
import { planAt } from '../../../../domain/account/plan.ts'
import { changeRule, createRule, deleteRule, type RuleFields } from '../../../../domain/account/rules.ts'
import { activePrefixes, addSystem, changeSystem, removeSystem } from '../../../../domain/account/systems.ts'
import { Refused } from '../../../../domain/errors.ts'

const at = new Date('2026-03-10T00:00:00.000Z')
const USER = 1
const SYSTEM = 2

const fold = (events: readonly AccountEvent[], account: Account | null = null): Account =>
  events.reduce<Account | null>(evolve, account)!

const first = (): Account =>
  fold(
    createFirst(
      { user_id: USER, email: ' Owner@Example.com', name: null, password_hash: 'argon', at },
      { system_id: SYSTEM, key_hash: 'k', receive_url: { token_hash: 't', sealed_token: 's' } },
    ),
  )

const given = (...events: AccountEvent[]): Account => fold(events, first())

const planned = (plan: Plan, expires_at: string | null = null): AccountEvent => ({
  type: 'PlanChanged',
  data: { user_id: USER, plan, expires_at },
})

const FIELDS: RuleFields = {
  name: 'shop', url: 'https://shop.example/', system_id: null, http_method: 'POST', filter_banks: [], filter_type: 'both',
  min_amount: null, payload_format: 'standard', custom_template: null, is_active: 1,
} // prettier-ignore

const ruled = (rule_id: number, fields: Partial<RuleFields> = {}, is_auto: 0 | 1 = 0): AccountEvent => ({
  type: 'RuleCreated',
  data: { ...FIELDS, ...fields, user_id: USER, rule_id, sealed_secret: 's', is_auto, created_at: at.toISOString() },
})

const refusal = (decide: () => unknown): string => {
  try {
    return `decided ${JSON.stringify(decide())}`
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}

const create = (account: Account, fields: Partial<RuleFields> = {}) =>
  createRule(account, { rule_id: 9, fields: { ...FIELDS, ...fields }, sealed_secret: 's', at })
const add = (account: Account, payment_prefix: string) =>
  addSystem(account, {
    system_id: 9,
    fields: { name: 'x', type: 'custom', payment_prefix, is_active: 1 },
    planPrefix: 'BC',
    at,
  })

describe('the first account', () => {
  it('is verified, is the operator, has the Pro plan and the prefix DH', () => {
    const account = first()
    expect(account).to.include({
      email: 'owner@example.com',
      operator: true,
      verified: true,
      plan: 'Pro',
      locked: false,
    })
    expect(account.token_version).to.equal(1)
    expect(activePrefixes(account)).to.deep.equal(['DH'])
  })
})

describe('a plan', () => {
  it('is Free from the moment it ends', () => {
    const account = given(planned('Basic', '2026-03-10T00:00:00.000Z'))
    expect(planAt(account, new Date(at.getTime() - 1))).to.equal('Basic')
    expect(planAt(account, at)).to.equal('Free')
  })

  it('allows 1 rule on Free, 3 on Basic, 10 on Advanced and any number on Pro', () => {
    for (const [plan, limit] of [
      ['Free', 1],
      ['Basic', 3],
      ['Advanced', 10],
    ] as const) {
      const rules = Array.from({ length: limit }, (_, index) => ruled(100 + index))
      expect(refusal(() => create(given(planned(plan), ...rules.slice(1))))).to.match(/^decided/)
      expect(refusal(() => create(given(planned(plan), ...rules)))).to.equal('WEBHOOK_LIMIT_REACHED')
    }
    const many = Array.from({ length: 50 }, (_, index) => ruled(100 + index))
    expect(refusal(() => create(given(...many)))).to.match(/^decided/)
  })

  it('keeps rules above the limit, but allows no new one', () => {
    const account = given(ruled(5), ruled(6), planned('Free'))
    expect(refusal(() => create(account))).to.equal('WEBHOOK_LIMIT_REACHED')
    expect(changeRule(account, { rule_id: 5, change: { name: 'new' } })).to.have.lengthOf(1)
  })
})

describe('a rule', () => {
  it('changes only in the fields that differ', () => {
    const account = given(ruled(5, { filter_banks: ['VCB'] }))
    expect(changeRule(account, { rule_id: 5, change: {} })).to.deep.equal([])
    expect(changeRule(account, { rule_id: 5, change: { filter_banks: ['VCB'], name: 'shop' } })).to.deep.equal([])
    expect(changeRule(account, { rule_id: 5, change: { name: 'new', is_active: 1 } })).to.deep.equal([
      { type: 'RuleChanged', data: { user_id: USER, rule_id: 5, name: 'new' } },
    ])
  })

  it('requires a system of its own account, and a template if its format is custom', () => {
    const account = given(ruled(5))
    expect(refusal(() => create(account, { system_id: 77 }))).to.equal('VALIDATION_FAILED')
    expect(refusal(() => create(account, { system_id: SYSTEM }))).to.match(/^decided/)
    expect(refusal(() => create(account, { payload_format: 'custom' }))).to.equal('VALIDATION_FAILED')
    expect(refusal(() => changeRule(account, { rule_id: 5, change: { payload_format: 'custom' } }))).to.equal(
      'VALIDATION_FAILED',
    )
    const custom = given(ruled(5, { payload_format: 'custom', custom_template: '{"id":"{{order_id}}"}' }))
    expect(refusal(() => changeRule(custom, { rule_id: 5, change: { custom_template: null } }))).to.equal(
      'VALIDATION_FAILED',
    )
    expect(refusal(() => changeRule(custom, { rule_id: 5, change: { custom_template: '{' } }))).to.equal(
      'VALIDATION_FAILED',
    )
    // It was accepted before templates with such numbers were refused.
    const old = given(ruled(5, { payload_format: 'custom', custom_template: '{"a":12345678901234567890}' }))
    expect(changeRule(old, { rule_id: 5, change: { is_active: 0 } })).to.have.length(1)
  })

  it('names banks by their codes. The name of a bank as a code is refused, unless the rule has it already', () => {
    const account = given(ruled(5, { filter_banks: ['VCB', 'VIETCOMBANK'] }))
    const change = (filter_banks: string[]) => changeRule(account, { rule_id: 5, change: { filter_banks } })
    expect(() => create(account, { filter_banks: ['VCB', 'TECHCOMBANK'] })).to.throw(
      'filter_banks.1: TECHCOMBANK is not a code. The code of Techcombank is TCB.',
    )
    for (const named of ['MBBANK', 'TPBANK', 'ABBANK', 'DONGABANK', 'PUBLICBANK', 'VIETTELMONEY'])
      expect(
        refusal(() => change([named])),
        named,
      ).to.equal('VALIDATION_FAILED')
    expect(change(['VIETCOMBANK', 'TCB'])).to.have.length(1)
    // The list of banks is open-ended (interface, 2.1).
    expect(change([...banks.map(({ code }) => code), 'OTHER', 'NEWBANK'])).to.have.length(1)
  })

  it('cannot be deleted manually if it belongs to a shop connection', () => {
    const account = given(ruled(5), ruled(6, {}, 1))
    expect(deleteRule(account, 5)).to.deep.equal([{ type: 'RuleDeleted', data: { user_id: USER, rule_id: 5 } }])
    expect(refusal(() => deleteRule(account, 6))).to.equal('AUTO_RULE')
    expect(refusal(() => deleteRule(account, 7))).to.equal('NOT_FOUND')
  })
})

describe('a connected system', () => {
  it('has a unique, valid prefix in upper case', () => {
    const [added] = add(first(), 'shop1')
    expect(added!.data).to.include({ payment_prefix: 'SHOP1' })
    expect(refusal(() => add(first(), 'dh'))).to.equal('CONFLICT')
    for (const prefix of ['bc', 'REF', 'a', '', 'TOOLONGPREFIX', 'A B', 'ſhop', 'ﬁ'])
      expect(
        refusal(() => add(first(), prefix)),
        prefix,
      ).to.equal('VALIDATION_FAILED')
  })

  it('accepts its own prefix in any case', () => {
    const change = { payment_prefix: 'dh' }
    expect(changeSystem(first(), { system_id: SYSTEM, change, planPrefix: 'BC' })).to.deep.equal([])
  })

  it('does not match while it is inactive', () => {
    const change = { is_active: 0 as const }
    const account = given(...changeSystem(first(), { system_id: SYSTEM, change, planPrefix: 'BC' }))
    expect(activePrefixes(account)).to.deep.equal([])
  })

  it('cannot be removed while manual rules refer to it, and is removed with its automatic rule', () => {
    const account = given(ruled(5, { system_id: SYSTEM }), ruled(6, { system_id: SYSTEM }, 1))
    expect(refusal(() => removeSystem(account, SYSTEM))).to.equal('CONFLICT')
    const alone = fold(deleteRule(account, 5), account)
    expect(removeSystem(alone, SYSTEM).map(({ type }) => type)).to.deep.equal(['RuleDeleted', 'SystemRemoved'])
    expect(fold(removeSystem(alone, SYSTEM), alone).rules.size).to.equal(0)
  })
})
