import { expect } from 'chai'
import { evolve, type Account } from '../../../../domain/account/account.ts'
import {
  bankAccountOf,
  changeBankAccount,
  isSwitchedOff,
  isUnconfirmed,
  MOST_BANK_ACCOUNTS,
  learnBankAccounts,
  seeBankAccount,
} from '../../../../domain/account/bank-accounts.ts'
import type { AccountEvent } from '../../../../domain/account/events.ts'
import { HOUR_MS } from '../../../../domain/time.ts'

const REGISTERED = Date.parse('2026-11-01T00:00:00.000Z')
const hour = (hours: number): Date => new Date(REGISTERED + hours * HOUR_MS)

const given = (...events: AccountEvent[]): Account =>
  [
    {
      type: 'AccountRegistered',
      data: { user_id: 7, email: 'a@b.vn', name: null, operator: true, registered_at: hour(0).toISOString() },
    } satisfies AccountEvent,
    ...events,
  ].reduce<Account | null>((account, event) => evolve(account, event), null)!

const numbered = (bank_account_id: number, account_number: string, waits?: boolean): AccountEvent => ({
  type: 'BankAccountSeen',
  data: { user_id: 7, bank_account_id, bank_code: 'VCB', account_number, transaction_id: 1, ...(waits && { waits }) },
})

const named = (account_number: string | null, bank_code = 'VCB') => ({ bank_code, account_number })

describe('bank accounts', () => {
  it('are confirmed if first seen in the first 24 hours, and wait for confirmation later', () => {
    const waits = (hours: number) => isUnconfirmed(given(), named('0011000415567'), hour(hours))
    expect([0, 23.9, 24, 100].map(waits)).to.deep.equal([false, false, true, true])
  })

  it('are confirmed for 24 hours after each learning request, and an extension leaves no gap', () => {
    const account = given()
    const learnt = (...hours: number[]) =>
      hours.reduce((now, at) => learnBankAccounts(now, hour(at)).reduce<Account | null>(evolve, now)!, account)
    const waits = (now: Account) => (hours: number) => isUnconfirmed(now, named('0011000415567'), hour(hours))
    expect([99, 100, 123, 124].map(waits(learnt(100)))).to.deep.equal([true, false, false, true])
    expect([99, 100, 123, 133, 134].map(waits(learnt(100, 110)))).to.deep.equal([true, false, false, false, true])
    expect([100, 123, 124].map(waits(learnt(9_000, 100))), 'the first one by a clock that was ahead').to.deep.equal([
      false,
      false,
      true,
    ])
    expect(
      [-200, -177, -176, 0].map(waits(learnt(-200))),
      'after a registration by a clock that was ahead',
    ).to.deep.equal([false, false, true, true])
    expect([110, 199, 200].map(waits(learnt(100, 200))), 'a new period').to.deep.equal([true, true, false])
  })

  it('are confirmed if recorded without the waits field, and otherwise wait until they are confirmed', () => {
    const account = given(numbered(1, '0011000415567'), numbered(2, '0022000415568', true))
    expect(isUnconfirmed(account, named('0011000415567'), hour(100))).to.equal(false)
    expect(isUnconfirmed(account, named('0022000415568'), hour(100))).to.equal(true)
    const change = { bank_account_id: 2, confirmed: true }
    const confirmed = changeBankAccount(account, change).reduce<Account | null>(evolve, account)!
    expect(isUnconfirmed(confirmed, named('0022000415568'), hour(100))).to.equal(false)
    expect(changeBankAccount(confirmed, change), 'again').to.deep.equal([])
    expect(() => changeBankAccount(confirmed, { bank_account_id: 2, confirmed: false })).to.throw('is_active')
  })

  it('are recorded as waiting or confirmed by the time of arrival', () => {
    const seen = { bank_account_id: 3, transaction_id: 9, ...named('0011000415567') }
    const [atOnce] = seeBankAccount(given(), { ...seen, at: hour(1) })
    expect(atOnce!.data).to.not.have.property('waits')
    const [late] = seeBankAccount(given(), { ...seen, at: hour(25) })
    expect(late!.data).to.include({ waits: true })
    expect(seeBankAccount(given(numbered(1, '0011000415567')), { ...seen, at: hour(25) })).to.deep.equal([])
    expect(seeBankAccount(given(), { ...seen, account_number: null, at: hour(25) })).to.deep.equal([])
  })

  it('beyond the limit of an account are not recorded, and their credits wait even while the account learns', () => {
    const numbers = Array.from({ length: MOST_BANK_ACCOUNTS }, (_, index) => numbered(index + 1, String(1e9 + index)))
    const own = { bank_code: 'VCB', account_number: '0011000999111' }
    const seen = { bank_account_id: 999, transaction_id: 9, ...named('0011000415567'), at: hour(1) }
    const almost = given(...numbers.slice(1))
    expect(seeBankAccount(almost, seen)).to.have.lengthOf(1)
    expect(isUnconfirmed(almost, named('0011000415567'), hour(1))).to.equal(false)
    const full = given(...numbers)
    expect(seeBankAccount(full, seen)).to.deep.equal([])
    expect(isUnconfirmed(full, named('0011000415567'), hour(1))).to.equal(true)
    expect(isUnconfirmed(full, named('1000000007'), hour(100)), 'a known one').to.equal(false)
    expect(isUnconfirmed(full, named(null), hour(1)), 'no number').to.equal(false)
    expect(isUnconfirmed(full, named('0011xxx999111'), hour(100), own), "the operator's").to.equal(false)
  })

  it('are not taken apart for a comparison if their first digits differ, so that 500 cost little', () => {
    const masked = (number: number) => `${1000 + number}xxxx4584`
    const numbers = Array.from({ length: MOST_BANK_ACCOUNTS }, (_, index) => numbered(index + 1, masked(index)))
    const account = given(...numbers)
    const { replace } = String.prototype
    let takenApart = 0
    String.prototype.replace = function (this: string, ...given: Parameters<typeof replace>) {
      takenApart++
      return replace.apply(this, given)
    } as typeof replace
    try {
      expect(isUnconfirmed(account, named('9999xxxx4584'), hour(100))).to.equal(true)
      expect(isUnconfirmed(account, named(masked(7)), hour(100)), 'a known one').to.equal(false)
    } finally {
      String.prototype.replace = replace
    }
    // The number that is looked for is taken apart by `replace`, too.
    expect(takenApart).to.be.within(1, 20)
  })

  it('need no confirmation if the operator receives plan payments on them', () => {
    const own = { bank_code: 'VCB', account_number: '0011000999111' }
    const account = given()
    expect(isUnconfirmed(account, named('0011xxx999111'), hour(100), own)).to.equal(false)
    expect(isUnconfirmed(account, named('0011xxx999112'), hour(100), own)).to.equal(true)
    expect(isUnconfirmed({ ...account, operator: false }, named('0011000999111'), hour(100), own)).to.equal(true)
  })

  const known = given(numbered(1, '0011000415567'))
  for (const [printed, waits] of [
    ['0011000415567', false],
    ['0011xxxx5567', false],
    ['X5567', false],
    ['5567', false],
    ['5568', true],
    ['567', true],
    ['**5567', false],
    ['0xxx567', false],
    ['x567', true],
    ['****67', true],
    ['0012xxxx5567', true],
    ['0011xxxx5568', true],
    ['0011000415568', true],
    ['xxxxxxxxxxxx', false],
    [null, false],
  ] as const)
    it(`${waits ? 'wait' : 'are confirmed'} if printed as ${printed} while 0011000415567 is confirmed`, () =>
      expect(isUnconfirmed(known, named(printed), hour(100))).to.equal(waits))

  it('with the same number at another bank are different accounts', () =>
    expect(isUnconfirmed(known, named('0011000415567', 'MB'), hour(100))).to.equal(true))

  it('are the confirmed one if a masked number fits a confirmed and a waiting account', () => {
    const account = given(numbered(1, '0099000005567', true), numbered(2, '0011000415567'))
    expect(bankAccountOf(account, named('X5567'))!.bank_account_id).to.equal(2)
    expect(bankAccountOf(account, named('0099000005567'))!.bank_account_id).to.equal(1)
  })

  it('are switched off for every printed number that may be theirs', () => {
    const off: AccountEvent = { type: 'BankAccountChanged', data: { user_id: 7, bank_account_id: 1, is_active: 0 } }
    const account = given(numbered(1, '0011000415567'), off)
    for (const printed of ['0011000415567', '0011xxx5567', '****67'])
      expect(isSwitchedOff(account, named(printed)), printed).to.equal(true)
    expect(isSwitchedOff(account, named('0022xxx5567'))).to.equal(false)
  })
})
