/** Compares the rows of deliveries with the folds of their transactions. */
import type { History } from './history.ts'

export interface DeliveryRow {
  transaction_id: number
  rule_id: number
  status: string
  attempt: number
  round_base: number
  lane: string | null
  due_at: string | null
}

/** The fields that both the fold and the row have. The start of a retry schedule counts only while the delivery is open. */
export const told = ({
  transaction_id,
  rule_id,
  status,
  attempt,
  round_base,
}: Omit<DeliveryRow, 'lane' | 'due_at'>) => ({
  transaction_id,
  rule_id,
  status,
  attempt,
  ...(status === 'open' && { round_base }),
})

/** How much later a delivery is due in the queue than in its fold. The log delivers first attempts for a minute; those over quota wait. */
export const putOff = (lane: string | null, attempt: number): number => {
  if (lane === 'first') return 60_000
  return lane === 'retry' && attempt === 0 ? 900_000 : 0
}

/**
 * When a changed rule made a retry due, or else when the fold says: the first change of the rule since the attempt that set the time, if it
 * came before that time. All changes of a random history switch the rule on.
 */
export const dueAfterChanges = (history: History, transaction_id: number, rule_id: number, due_at: string): string => {
  let earlier: string | null = null
  for (const { stream, events } of history.decided)
    for (const { type, data, metadata } of events) {
      const { rule_id: of, next_attempt_at: next } = data as { rule_id?: number; next_attempt_at?: string | null }
      if (of !== rule_id) continue
      if (stream === `transaction-${transaction_id}` && type === 'WebhookAttempted' && next) earlier = null
      if (type === 'RuleChanged' && earlier === null && metadata.at < due_at) earlier = metadata.at
    }
  return earlier ?? due_at
}
