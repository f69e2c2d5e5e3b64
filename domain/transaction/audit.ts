/** Checks whether the deciders can have written the stream of a transaction. */
import { isEventOf } from '../catalogue.ts'
import type { StoredEvent } from '../parse-event.ts'
import { transactionEvents, type TransactionEventData, type WebhookStatus } from './events.ts'
import { evolve, statusOf, type Transaction } from './transaction.ts'

type Attempted = TransactionEventData['WebhookAttempted']

/**
 * @param events  all events that readers of the stream see
 * @returns one line per fault
 */
export const faultsOf = (events: readonly StoredEvent[]): readonly string[] => {
  const [first] = events
  if (!first) return ['no event is left']
  if (first.type === 'TransactionDeleted') return events.length === 1 ? [] : ['something follows its deletion']
  if (first.type !== 'TransactionCaptured') return [`begins with ${first.type}`]
  const faults: string[] = []
  const attempts = new Map<number, Attempted[]>()
  let transaction: Transaction = null
  /** The status before the next change. An event that carries a status itself is followed by the event of its change. */
  let status: WebhookStatus | null = null
  events.forEach((event, index) => {
    if (event.revision !== index) faults.push(`revision ${index} is missing`)
    if (!isEventOf(transactionEvents, event)) return void faults.push(`at revision ${index} stands ${event.type}`)
    if (event.type === 'WebhookStatusChanged' && status !== null && status !== event.data.from)
      faults.push(`at revision ${index} its status was ${status}, not ${event.data.from}`)
    if (event.type === 'WebhookAttempted')
      attempts.set(event.data.rule_id, [...(attempts.get(event.data.rule_id) ?? []), event.data])
    const before = transaction
    transaction = evolve(transaction, event, event.metadata.at)
    const bringsStatus = event.type === 'TransactionCompleted' || event.type === 'WebhookRetryRequested'
    status = statusIn(bringsStatus ? before : transaction)
  })
  const state = transaction as Transaction
  if (state?.phase === 'deleted') return [...faults, 'it was deleted, and its events are still there']
  if (state?.phase !== 'live') return faults
  for (const [rule, made] of attempts) faults.push(...numberFaults(rule, made))
  for (const rule of attempts.keys())
    if (!state.deliveries.has(rule)) faults.push(`rule ${rule} was called, but the transaction has no delivery for it`)
  const { deliveries, webhook_status } = state
  if (deliveries.size > 0 && webhook_status !== statusOf(deliveries))
    faults.push(`its status is ${webhook_status}, and its deliveries make it ${statusOf(deliveries)}`)
  if (deliveries.size === 0 && ['pending', 'success', 'failed'].includes(webhook_status))
    faults.push(`its status is ${webhook_status}, and it has no delivery`)
  return faults
}

const statusIn = (transaction: Transaction): WebhookStatus | null =>
  transaction?.phase === 'live' ? transaction.webhook_status : null

/** A call that was made twice is recorded twice. Only one of the records then has the next attempt, or marks it as the last. */
const decides = ({ outcome, next_attempt_at }: Attempted): boolean =>
  outcome === 'exhausted' || next_attempt_at !== null

const numberFaults = (rule: number, made: readonly Attempted[]): string[] => {
  const faults: string[] = []
  const last = Math.max(...made.map(({ attempt }) => attempt))
  for (let number = 1; number <= last; number++) {
    const records = made.filter(({ attempt }) => attempt === number)
    if (records.length === 0) faults.push(`attempt ${number} for rule ${rule} is missing`)
    const deciding = records.filter(decides).length
    if (deciding > 1) faults.push(`attempt ${number} for rule ${rule} decided the next step ${deciding} times`)
  }
  return faults
}
