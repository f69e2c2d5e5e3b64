/** Given-when-then helpers for a transaction: `given(captured([7]), exhausted(7, 1)).when(retried([7])).then(…)`. */
import { expect } from 'chai'
import type { Account, Rule } from '../../../../domain/account/account.ts'
import { Refused } from '../../../../domain/errors.ts'
import {
  endDelivery,
  recordAttempt,
  release,
  remove,
  retry,
  type AttemptResult,
} from '../../../../domain/transaction/decide.ts'
import type { HeldFor, TransactionEvent, WebhookStatus } from '../../../../domain/transaction/events.ts'
import { evolve, type Transaction } from '../../../../domain/transaction/transaction.ts'
import type { FoundOrderId } from '../../../../domain/webhook/matching.ts'
import { capturedData } from '../../../harness/captured-data.ts'

export const NOW = new Date('2026-01-05T02:30:00.000Z')
const SCHEDULE = [60, 300]
const middle = 0.5

export const later = (seconds: number): string => new Date(NOW.getTime() + seconds * 1000).toISOString()

type Command = (transaction: Transaction) => readonly TransactionEvent[]

// --- events --------------------------------------------------------------------------------------------------------

const matched = { order_id: 'DH1042', prefix: 'DH' }

export const captured = (rules: number[], status?: WebhookStatus): TransactionEvent => ({
  type: 'TransactionCaptured',
  data: capturedData({
    transaction_id: 42,
    user_id: 5,
    source: 'device-1:sms',
    transaction_date: NOW.toISOString(),
    transaction_date_source: 'arrival',
    description: 'a text DH1042',
    content: 'DH1042',
    ...matched,
    rules,
    webhook_status: status ?? (rules.length > 0 ? 'pending' : 'no_match'),
    created_at: NOW.toISOString(),
  }),
})

export const heldFor = (held: HeldFor, status?: WebhookStatus): TransactionEvent => {
  const event = captured([], status) as Extract<TransactionEvent, { type: 'TransactionCaptured' }>
  return { ...event, data: { ...event.data, held } }
}

export const copyOf = (id: number): TransactionEvent => {
  const event = captured([], 'already_run') as Extract<TransactionEvent, { type: 'TransactionCaptured' }>
  return { ...event, data: { ...event.data, already_run_of: id } }
}

export const resultOf = (rule_id: number, attempt: number, http_status: number): AttemptResult => ({
  transaction_id: 42, rule_id, attempt, method: 'POST', url: 'https://shop.vn/hook',
  account_revision: 3, timestamp: 1_767_580_200, body_sha256: 'abc', renderer: 1, http_status, response_body: 'answer',
  error: http_status < 300 && http_status > 0 ? null : `http_${http_status}`, retry_after_s: null,
  sent_at: NOW.toISOString(), duration_ms: 12,
}) // prettier-ignore

const attemptedAs = (
  rule_id: number,
  attempt: number,
  http_status: number,
  outcome: 'delivered' | 'retrying' | 'exhausted',
  next_attempt_at: string | null,
): TransactionEvent => {
  const { retry_after_s: _, ...data } = resultOf(rule_id, attempt, http_status)
  return { type: 'WebhookAttempted', data: { ...data, attempt_id: 9000 + attempt, outcome, next_attempt_at } }
}

export const delivered = (rule: number, attempt: number) => attemptedAs(rule, attempt, 200, 'delivered', null)
export const retrying = (rule: number, attempt: number, next: string, status = 500) =>
  attemptedAs(rule, attempt, status, 'retrying', next)
export const exhausted = (rule: number, attempt: number, status = 500) =>
  attemptedAs(rule, attempt, status, 'exhausted', null)
/** An attempt that is recorded and changes nothing. */
export const cameLate = (rule: number, attempt: number, status = 500) =>
  attemptedAs(rule, attempt, status, 'retrying', null)

export const ended = (rule_id: number, reason: 'rule_deleted' | 'gone'): TransactionEvent => ({
  type: 'DeliveryEnded',
  data: { transaction_id: 42, rule_id, reason },
})
export const statusChanged = (from: WebhookStatus, to: WebhookStatus): TransactionEvent => ({
  type: 'WebhookStatusChanged',
  data: { transaction_id: 42, from, to },
})
export const retryRequested = (
  rules: number[],
  webhook_status: WebhookStatus,
  { rematched = false, by = 'manual' as 'manual' | 'bulk', ...found }: { rematched?: boolean; by?: 'manual' | 'bulk'; order_id?: string; prefix?: string | null; due_now?: boolean; again?: boolean } = {},
): TransactionEvent => ({
  type: 'WebhookRetryRequested',
  data: { transaction_id: 42, by, rematched, ...matched, ...found, rules, webhook_status },
}) // prettier-ignore
export const deleted = (counted = true): TransactionEvent => ({
  type: 'TransactionDeleted',
  data: { transaction_id: 42, user_id: 5, captured_at: NOW.toISOString(), counted },
})

// --- commands ------------------------------------------------------------------------------------------------------

export const answered =
  (rule: number, attempt: number, http_status: number, retry_after_s: number | null = null): Command =>
  (transaction) =>
    recordAttempt(
      transaction,
      { ...resultOf(rule, attempt, http_status), retry_after_s },
      { attempt_id: 9000 + attempt, at: NOW, schedule: SCHEDULE, random: middle },
    )

/** The endpoint has been down for the whole time of the schedule. */
export const answeredLast =
  (rule: number, attempt: number, http_status: number): Command =>
  (transaction) =>
    recordAttempt(transaction, resultOf(rule, attempt, http_status), {
      attempt_id: 9000 + attempt,
      at: NOW,
      schedule: SCHEDULE,
      random: middle,
      isLast: true,
    })

const accountWith = (rules: number[], paused: number[]): Account => {
  const rule = (rule_id: number) =>
    ({ rule_id, system_id: null, filter_banks: [], filter_type: 'both', min_amount: null, is_active: paused.includes(rule_id) ? 0 : 1 }) as unknown as Rule // prettier-ignore
  return {
    systems: new Map([[1, { system_id: 1, payment_prefix: 'DH', is_active: 1 }]]),
    rules: new Map(rules.map((each) => [each, rule(each)])),
  } as unknown as Account
}

/** A retry with the current rules of the account. */
export const retried =
  (rules: number[], { paused = [] as number[], found = { order_id: 'DH1042', prefix: 'DH' } as FoundOrderId | null, by = 'manual' as 'manual' | 'bulk', again = false, which = undefined as 'failed' | 'open' | undefined, only = undefined as number | undefined } = {}): Command =>
  (transaction) =>
    retry(transaction, { by, at: NOW, account: accountWith(rules, paused), find: () => found, again, which, only }) // prettier-ignore

/** The bank account is confirmed. @param since  what was captured earlier stays as it is */
export const released =
  (rules: number[], since: Date): Command =>
  (transaction) =>
    release(transaction, { since, at: NOW, account: accountWith(rules, []), find: () => matched })

export const removed: Command = (transaction) => remove(transaction)
export const ruleDeleted =
  (rule: number): Command =>
  (transaction) =>
    endDelivery(transaction, rule, NOW)

// --- given, when, then ---------------------------------------------------------------------------------------------

export const given = (...events: TransactionEvent[]) => {
  const transaction = events.reduce<Transaction>((state, event) => evolve(state, event, NOW.toISOString()), null)
  return {
    when: (command: Command) => ({
      then: (...facts: TransactionEvent[]) => expect(command(transaction)).to.deep.equal(facts),
      nothing: () => expect(command(transaction)).to.deep.equal([]),
      refused: (code: string) =>
        expect(() => command(transaction))
          .to.throw(Refused)
          .with.property('code', code),
    }),
  }
}
