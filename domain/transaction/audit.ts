/** Whether a transaction's stream is one that its deciders can have written. */
import type { RecordedEvent } from '../event.ts'
import type { TransactionEvent } from './events.ts'
import { evolve, statusOf, type Transaction } from './transaction.ts'

/**
 * @param events  all that readers of the stream see
 * @returns a line for each thing that is wrong
 */
export const faultsOf = (events: readonly RecordedEvent[]): readonly string[] => {
  const [first] = events as (RecordedEvent & TransactionEvent)[]
  if (!first) return ['no event is left']
  if (first.type === 'TransactionDeleted') return events.length === 1 ? [] : ['something follows its deletion']
  if (first.type !== 'TransactionCaptured') return [`begins with ${first.type}`]
  const faults: string[] = []
  const attempts = new Map<number, number[]>()
  let transaction: Transaction = null
  events.forEach((recorded, index) => {
    const event = recorded as RecordedEvent & TransactionEvent
    if (event.revision !== index) faults.push(`revision ${index} is missing`)
    if (
      event.type === 'WebhookStatusChanged' &&
      transaction?.phase === 'live' &&
      transaction.webhook_status !== event.data.from
    )
      faults.push(`at revision ${index} its status was ${transaction.webhook_status}, not ${event.data.from}`)
    if (event.type === 'WebhookAttempted') {
      const { rule_id, attempt } = event.data
      attempts.set(rule_id, [...(attempts.get(rule_id) ?? []), attempt])
    }
    transaction = evolve(transaction, event, event.metadata.at)
  })
  const state = transaction as Transaction
  if (state?.phase === 'deleted') return [...faults, 'it was deleted, and its events are still there']
  if (state?.phase !== 'live') return faults
  for (const [rule, numbers] of attempts) faults.push(...numberFaults(rule, numbers))
  for (const rule of attempts.keys())
    if (!state.deliveries.has(rule)) faults.push(`rule ${rule} was called, and fired nothing`)
  const { deliveries, webhook_status } = state
  if (deliveries.size > 0 && webhook_status !== statusOf(deliveries))
    faults.push(`its status is ${webhook_status}, and its deliveries make it ${statusOf(deliveries)}`)
  if (deliveries.size === 0 && ['pending', 'success', 'failed'].includes(webhook_status))
    faults.push(`its status is ${webhook_status}, and it has no delivery`)
  return faults
}

const numberFaults = (rule: number, numbers: readonly number[]): string[] => {
  const known = new Set(numbers)
  const faults: string[] = []
  for (let number = 1; number <= Math.max(...numbers); number++) {
    const times = numbers.filter((one) => one === number).length
    if (!known.has(number)) faults.push(`attempt ${number} for rule ${rule} is missing`)
    if (times > 1) faults.push(`attempt ${number} for rule ${rule} is recorded ${times} times`)
  }
  return faults
}
