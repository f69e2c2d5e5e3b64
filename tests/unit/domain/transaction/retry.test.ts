import { expect } from 'chai'
import { MOST_RETRIES } from '../../../../domain/transaction/decide.ts'
import type { TransactionEvent } from '../../../../domain/transaction/events.ts'
import {
  captured, copyOf, deleted, delivered, ended, exhausted, given, heldFor, later, NOW, released, removed, retried, retryRequested, retrying, statusChanged,
} from './sentences.ts' // prettier-ignore
import { retriesAt, withRetry } from '../../../../domain/transaction/retries.ts'
import { evolveAll, type LiveTransaction } from '../../../../domain/transaction/transaction.ts'

const foldOf = (...events: TransactionEvent[]) => evolveAll(null, events, NOW.toISOString()) as LiveTransaction

const failed = [captured([7]), exhausted(7, 3), statusChanged('pending', 'failed')]
const oneOfTwoFailed = [captured([7, 8]), delivered(7, 1), exhausted(8, 3), statusChanged('pending', 'failed')]

describe('a manual retry', () => {
  it('of a failed transaction opens the deliveries of rules that have not succeeded', () => {
    given(...failed)
      .when(retried([7]))
      .then(retryRequested([7], 'pending'), statusChanged('failed', 'pending'))
    given(...oneOfTwoFailed)
      .when(retried([7, 8]))
      .then(retryRequested([8], 'pending'), statusChanged('failed', 'pending'))
  })

  it('of one rule opens only its delivery, also of a transaction that failed at other rules', () => {
    const both = [captured([7, 8]), exhausted(7, 3), exhausted(8, 3), statusChanged('pending', 'failed')]
    given(...both)
      .when(retried([7, 8], { only: 8 }))
      .then(retryRequested([8], 'pending'), statusChanged('failed', 'pending'))
    given(captured([7, 8, 9]), exhausted(7, 3), exhausted(8, 3))
      .when(retried([7, 8, 9], { only: 8, which: 'failed' }))
      .then(retryRequested([8], 'pending'))
    given(...oneOfTwoFailed)
      .when(retried([7, 8], { only: 7 }))
      .then()
    // Rule 8 was deleted, and rule 9 is new.
    given(...oneOfTwoFailed)
      .when(retried([7, 9], { only: 7 }))
      .then()
  })

  it('opens the delivery of a paused rule, which stays held', () => {
    given(...failed)
      .when(retried([7], { paused: [7] }))
      .then(retryRequested([7], 'pending'), statusChanged('failed', 'pending'))
  })

  it('is recorded as bulk if it was part of a bulk retry', () => {
    given(...failed)
      .when(retried([7], { by: 'bulk' }))
      .then(retryRequested([7], 'pending', { by: 'bulk' }), statusChanged('failed', 'pending'))
  })

  it('matches again if all failed rules were deleted, without rules that have succeeded', () => {
    given(...failed)
      .when(retried([9]))
      .then(retryRequested([9], 'pending', { rematched: true }), statusChanged('failed', 'pending'))
    given(...oneOfTwoFailed)
      .when(retried([7]))
      .then(retryRequested([], 'success', { rematched: true }), statusChanged('failed', 'success'))
    given(...failed)
      .when(retried([]))
      .then(retryRequested([], 'no_match', { rematched: true }), statusChanged('failed', 'no_match'))
  })

  it('of a transaction without a match uses the current rules and prefixes', () => {
    given(captured([]))
      .when(retried([7], { found: { order_id: 'DH99', prefix: 'DH' } }))
      .then(retryRequested([7], 'pending', { rematched: true, order_id: 'DH99' }), statusChanged('no_match', 'pending'))
  })

  it('of a transaction without a match may find no rule', () => {
    given(captured([]))
      .when(retried([]))
      .then(retryRequested([], 'no_match', { rematched: true }))
  })

  it('matches by the order id of a better copy if its own text has none', () => {
    given(captured([]))
      .when(retried([7], { found: null }))
      .then(retryRequested([7], 'pending', { rematched: true }), statusChanged('no_match', 'pending'))
  })

  it('sends a held transaction, which is then treated like any other', () => {
    given(heldFor('old_notification'))
      .when(retried([7]))
      .then(retryRequested([7], 'pending', { rematched: true }), statusChanged('no_match', 'pending'))
  })

  it('of a transaction whose only rule was deleted matches again', () => {
    given(captured([7]), ended(7, 'rule_deleted'), statusChanged('pending', 'no_match'))
      .when(retried([9]))
      .then(retryRequested([9], 'pending', { rematched: true }), statusChanged('no_match', 'pending'))
  })

  it('of a pending transaction makes its open deliveries due at once, and their schedules continue', () => {
    const waiting = [captured([7, 8]), delivered(8, 1), retrying(7, 1, later(60))]
    given(...waiting)
      .when(retried([7, 8]))
      .then(retryRequested([7], 'pending', { due_now: true }))
    const before = foldOf(...waiting)
    const after = foldOf(...waiting, retryRequested([7], 'pending', { due_now: true }))
    expect(before.deliveries.get(7)).to.include({ due_at: later(60) })
    expect(after.deliveries.get(7)).to.deep.equal({ status: 'open', attempt: 1, round_base: 0, due_at: later(0) })
    expect(after.deliveries.get(8)).to.deep.equal({ status: 'succeeded', attempt: 1 })
  })

  it('of a pending transaction also opens the deliveries that have failed, if their rules still exist', () => {
    const waiting = [captured([7, 8, 9]), exhausted(8, 3), exhausted(9, 3), retrying(7, 1, later(60))]
    const both = [retryRequested([8], 'pending'), retryRequested([7], 'pending', { due_now: true })]
    given(...waiting).when(retried([7, 8])).then(...both) // prettier-ignore
    given(...waiting).when(retried([7, 8], { which: 'failed' })).then(both[0]!) // prettier-ignore
    given(...waiting).when(retried([7, 8], { which: 'open' })).then(both[1]!) // prettier-ignore
    const after = foldOf(...waiting, ...both)
    expect(after.deliveries.get(8)).to.deep.equal({ status: 'open', attempt: 3, round_base: 3, due_at: later(0) })
    expect(after.deliveries.get(7)).to.deep.equal({ status: 'open', attempt: 1, round_base: 0, due_at: later(0) })
    expect(after.deliveries.get(9)).to.deep.equal({ status: 'ended', attempt: 3 })
  })

  it('of a pending transaction makes the open delivery of one rule due, if only that rule is named', () =>
    given(captured([7, 8]), retrying(7, 1, later(60)), retrying(8, 1, later(60)))
      .when(retried([7, 8], { only: 8 }))
      .then(retryRequested([8], 'pending', { due_now: true })))

  it('of a pending transaction leaves a first attempt alone: it is due already, or is over the quota', () => {
    given(captured([7]))
      .when(retried([7]))
      .then()
    given(captured([7, 8]), retrying(8, 1, later(60)))
      .when(retried([7, 8]))
      .then(retryRequested([8], 'pending', { due_now: true }))
  })

  it('of a transaction that succeeded begins a new round for its rules, if the owner sends it again', () => {
    const succeeded = [captured([7, 8, 9]), delivered(7, 2), delivered(8, 1), ended(9, 'rule_deleted'), statusChanged('pending', 'success')]
    given(...succeeded).when(retried([7, 9], { again: true })).then(retryRequested([7], 'pending', { again: true }), statusChanged('success', 'pending'))
    const after = foldOf(...succeeded, retryRequested([7], 'pending', { again: true }))
    expect(after.deliveries.get(7)).to.deep.equal({ status: 'open', attempt: 2, round_base: 2, due_at: later(0) })
    expect(after.deliveries.get(8)).to.deep.equal({ status: 'succeeded', attempt: 1 })
    given(...succeeded).when(retried([9], { again: true })).refused('CONFLICT')
  }) // prettier-ignore

  it('of any other transaction is the same with the wish to send again', () => {
    given(...oneOfTwoFailed)
      .when(retried([7, 8], { again: true }))
      .then(retryRequested([8], 'pending'), statusChanged('failed', 'pending'))
    given(captured([], 'skipped'))
      .when(retried([7], { again: true }))
      .refused('CONFLICT')
  })

  it('is refused for every other status', () => {
    given(captured([7]), delivered(7, 1), statusChanged('pending', 'success'))
      .when(retried([7]))
      .refused('CONFLICT')
    given(captured([], 'skipped'))
      .when(retried([7]))
      .refused('CONFLICT')
    given(captured([], 'plan_upgraded'))
      .when(retried([7]))
      .refused('CONFLICT')
    given(copyOf(41))
      .when(retried([7]))
      .refused('CONFLICT')
  })

  it('finds no transaction that was deleted or never existed', () => {
    given(...failed, deleted())
      .when(retried([7]))
      .refused('NOT_FOUND')
    given()
      .when(retried([7]))
      .refused('NOT_FOUND')
  })

  it('is refused after very many within a day, even if the last one was of a pending transaction', () => {
    const many = Array.from({ length: MOST_RETRIES - 1 }, () => retryRequested([7], 'success', { again: true }))
    const before = [captured([7]), delivered(7, 1), statusChanged('pending', 'success'), ...many, delivered(7, 2)]
    const last = [retryRequested([7], 'pending', { again: true }), statusChanged('success', 'pending')]
    given(...before)
      .when(retried([7], { again: true }))
      .then(...last)
    given(...before, ...last, retrying(7, 3, later(60)))
      .when(retried([7]))
      .refused('CONFLICT')
  })

  it('counts towards the limit of a day, which begins with its first retry', () => {
    const day = 86_400_000
    const first = withRetry(null, NOW.toISOString())
    const second = withRetry(first, later(60))
    expect(retriesAt(second, new Date(NOW.getTime() + day - 1))).to.equal(2)
    expect(retriesAt(second, new Date(NOW.getTime() + day))).to.equal(0)
    const next = later(day / 1_000)
    expect(withRetry(second, next)).to.deep.equal({ since: next, count: 1, last: next })
  })

  it('counts once if some deliveries have failed and others wait', () => {
    const waiting = [captured([7, 8]), exhausted(8, 3), retrying(7, 1, later(60))]
    const both = [retryRequested([8], 'pending'), retryRequested([7], 'pending', { due_now: true })]
    expect(foldOf(...waiting, ...both).retries?.count).to.equal(1)
    const again = evolveAll(foldOf(...waiting, ...both), [both[1]!], later(1)) as LiveTransaction
    expect(again.retries?.count).to.equal(2)
  })
})

describe('the confirmation of a bank account', () => {
  const { type, data } = retryRequested([7], 'pending', { rematched: true, by: 'bulk' }) as Extract<
    TransactionEvent,
    { type: 'WebhookRetryRequested' }
  >
  const sent: TransactionEvent[] = [{ type, data: { ...data, released: true } }, statusChanged('no_match', 'pending')]

  it('sends the transactions that waited for it', () =>
    given(heldFor('unconfirmed_account'))
      .when(released([7], NOW))
      .then(...sent))

  it('sends nothing that is older than its limit, or was held for another reason', () => {
    given(heldFor('unconfirmed_account'))
      .when(released([7], new Date(NOW.getTime() + 1)))
      .nothing()
    given(heldFor('old_notification'))
      .when(released([7], NOW))
      .nothing()
  })

  it('sends nothing without an order id, until a copy brings one', () => {
    given(heldFor('unconfirmed_account', 'skipped'))
      .when(released([7], NOW))
      .nothing()
    const matched = { order_id: 'DH1042', prefix: 'DH', rules: [], webhook_status: 'no_match' as const }
    given(
      heldFor('unconfirmed_account', 'skipped'),
      { type: 'TransactionCompleted', data: { transaction_id: 42, completed_by: 43, ...matched } },
      statusChanged('skipped', 'no_match'),
    )
      .when(released([7], NOW))
      .then(...sent)
  })
})

describe('a deletion', () => {
  it('records that a copy never counted', () => {
    given(copyOf(41)).when(removed).then(deleted(false))
  })

  it('happens once', () => {
    given(captured([7]), deleted())
      .when(removed)
      .refused('NOT_FOUND')
    given().when(removed).refused('NOT_FOUND')
  })
})
