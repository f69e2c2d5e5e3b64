import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../../../domain/arrival/origin.ts'
import { read } from '../../../../domain/reader/reader.ts'
import type { Reading } from '../../../../domain/reader/reading.ts'
import { appraise, type Movement } from '../../../../domain/transaction/appraisal.ts'
import { captured } from '../../../../domain/transaction/capture.ts'
import { accountOf } from '../../../harness/accounts.ts'
import { arrivalOf, AT, TEXT } from './movements.ts'

describe('a credit that may have been reported before', () => {
  const DAY = 86_400_000
  const keptOf = (silent: boolean): Arrival['credential'] => ({
    kind: 'kept',
    user_id: 7,
    kept: { notification_id: 1, source: 'device-1:sms', silent },
  })
  const appraised = (
    { reading = {}, ...given }: Partial<Arrival> & { reading?: Partial<Reading> },
    text = TEXT,
  ): Movement => {
    const account = accountOf(7)
    const arrival: Arrival = { ...arrivalOf({ sender: 'Vietcombank', text }), ...given }
    const found = read(arrival.incoming, arrival.arrived_at)
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const changed = { ...found, reading: { ...found.reading!, ...reading } } as ReturnType<typeof read>
    const movement = appraise(account, path, arrival, changed)
    if (movement.kind !== 'movement') throw new Error('no movement')
    return movement
  }
  const isCompared = (...given: Parameters<typeof appraised>): boolean => appraised(...given).marks.length > 0
  const { printed_time } = read({ text: TEXT, sender: 'Vietcombank' }, AT).reading!
  const after = (days: number) => ({ arrived_at: new Date(Date.parse(printed_time!.at) + days * DAY) })

  it('is not compared with the credits of two years if it prints a date of the last six days', () => {
    expect(isCompared({})).to.equal(false)
    expect(isCompared(after(5.9))).to.equal(false)
    expect(isCompared(after(6.1))).to.equal(true)
  })
  it('is compared if nothing proves the date: without a time, without a year, or where a payer writes it', () => {
    expect(isCompared({ reading: { printed_time: null } })).to.equal(true)
    expect(isCompared({ reading: { printed_time: { ...printed_time!, year_printed: false } } })).to.equal(true)
    expect(isCompared({ reading: { time_in_memo: 'alone' } })).to.equal(true)
    expect(isCompared({ reading: { time_in_memo: 'beside_day' } })).to.equal(false)
  })
  it('is compared if it was kept and is read again, when the deduplication window may have dropped it', () =>
    expect(isCompared({ credential: keptOf(false) })).to.equal(true))
  it('is not compared if it is a debit', () =>
    expect(isCompared(after(6.1), TEXT.replace('+150', '-150'))).to.equal(false))

  it('is held back if it was kept until it was old', () => {
    expect(appraised({ credential: keptOf(false) }).held).to.equal(null)
    expect(appraised({ credential: keptOf(true) }).held).to.equal('old_notification')
  })
})

describe('a system that is switched off', () => {
  it('hides no order id of another one', () => {
    const account = accountOf(7, { prefixes: ['AB', 'DH'] })
    const matchedBy = (by: Account) => {
      const arrival = arrivalOf({ sender: 'Vietcombank', text: TEXT.replace('DH1042', 'AB1041 DH1042') })
      const path = receivePathOf(by, arrival.credential, arrival.arrived_at)!
      return (appraise(by, path, arrival, read(arrival.incoming, arrival.arrived_at)) as Movement).matched
    }
    expect(matchedBy(account)).to.include({ order_id: 'AB1041', prefix: 'AB' })
    const systems = new Map([...account.systems].map(([id, each]) => [id, each.payment_prefix === 'AB' ? { ...each, is_active: 0 as const } : each])) // prettier-ignore
    expect(matchedBy({ ...account, systems })).to.include({
      order_id: 'DH1042',
      prefix: 'DH',
      webhook_status: 'pending',
    })
  })
})

describe('the payment of a plan', () => {
  const PLANS = { prefix: 'BC', bank_code: 'VCB', account_number: '0011000415567', account_name: 'BAOCO' }
  const appraised = (memo: string, { stamp = AT, prefixes = ['DH'] } = {}): Movement => {
    const account = { ...accountOf(7, { prefixes }), operator: true }
    const arrival = { ...arrivalOf({ sender: 'Vietcombank', text: TEXT.replace('DH1042', memo) }), stamp }
    const path = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const movement = appraise(account, path, arrival, read(arrival.incoming, arrival.arrived_at), PLANS)
    if (movement.kind !== 'movement') throw new Error('no movement')
    return movement
  }

  it('names its order, unless the money comes back or the notification is old', () => {
    expect(appraised('BC0042').plan_order_id).to.equal(42)
    expect(appraised('HOAN TRA GD BC0042').plan_order_id).to.equal(null)
    expect(appraised('BC0042', { stamp: new Date(AT.getTime() - 2 * 86_400_000) }).plan_order_id).to.equal(null)
  })
  it('fires no rule, and is not marked as held', () => {
    const paid = { webhook_status: 'plan_upgraded', already_run_of: null } as const
    const held = { ...appraised('DH1042 BC0042'), held: 'unconfirmed_account' as const }
    expect(held.matched.rules).to.have.length(1)
    const { data } = captured(1, 7, held, null, paid)
    expect(data).to.deep.include({ ...paid, rules: [] })
    expect(data).not.to.have.property('held')
  })
  it("has the order id of the plan, unless one of the operator's own shops is named", () => {
    expect(appraised('BC0042').matched).to.include({ order_id: 'BC0042', prefix: 'BC', webhook_status: 'no_match' })
    expect(appraised('DH1042 BC0042').matched).to.include({ order_id: 'DH1042', webhook_status: 'pending' })
  })
})
