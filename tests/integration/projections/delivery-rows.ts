/** Compares the rows of deliveries with the folds of their transactions. */
import type { History } from './history.ts'

export interface DeliveryRow {
  transaction_id: number
  rule_id: number
  user_id: number
  status: string
  attempt: number
  round_base: number
  lane: string | null
  due_at: string | null
}

/** The fields that both the fold and the row have. The start of a retry schedule counts only while the delivery is open. */
export const comparable = ({
  transaction_id,
  rule_id,
  status,
  attempt,
  round_base,
}: Omit<DeliveryRow, 'user_id' | 'lane' | 'due_at'>) => ({
  transaction_id,
  rule_id,
  status,
  attempt,
  ...(status === 'open' && { round_base }),
})

const later = (at: string, milliseconds: number): string => new Date(Date.parse(at) + milliseconds).toISOString()

/**
 * When a delivery is due in the queue, by its own events. The log delivers first attempts for a minute. Those over quota wait until 15 minutes after
 * the capture, also if a copy brought their rules.
 * @param due_at  when it is due in its fold
 */
export const ownDue = (
  due_at: string,
  captured_at: string,
  { lane, attempt }: Pick<DeliveryRow, 'lane' | 'attempt'>,
): string => {
  if (lane === 'first') return later(due_at, 60_000)
  const late = later(captured_at, 900_000)
  return lane === 'retry' && attempt === 0 && late > due_at ? late : later(due_at, 0)
}

/** Whether an event lets a rule be called again. All changes of a random history switch the rule on. */
const letsCall = (type: string, data: unknown, rule_id: number, user_id: number): boolean =>
  (type === 'RuleChanged' && (data as { rule_id: number }).rule_id === rule_id) ||
  (type === 'AccountUnlocked' && (data as { user_id: number }).user_id === user_id)

/**
 * When a changed rule or an unlocked account made a delivery due, or else the time that its own events say: the first such event since the
 * one that set the time, if it came before that time. First attempts become due only by an unlocked account.
 * @param due_at  the time that its own events say
 */
export const dueAfterChanges = (
  history: History,
  { transaction_id, rule_id, user_id, lane }: DeliveryRow,
  due_at: string,
): string => {
  const setsTime = lane === 'first' ? ['TransactionCaptured', 'TransactionCompleted'] : ['WebhookAttempted']
  let earlier: string | null = null
  for (const { stream, events } of history.decided)
    for (const { type, data, metadata } of events) {
      const { rule_id: of = rule_id, next_attempt_at: next } = data as { rule_id?: number; next_attempt_at?: string }
      if (stream === `transaction-${transaction_id}` && setsTime.includes(type))
        if (of === rule_id && next !== null) earlier = null
      if (lane === 'first' && type === 'RuleChanged') continue
      if (letsCall(type, data, rule_id, user_id) && earlier === null && metadata.at < due_at) earlier = metadata.at
    }
  return earlier ?? due_at
}

/** The time since when the current url of a rule may be called. */
export const activeSince = (history: History, rule_id: number, user_id: number): string | undefined =>
  history.decided
    .flatMap(({ events }) => events)
    .findLast(
      ({ type, data }) =>
        letsCall(type, data, rule_id, user_id) ||
        (type === 'RuleCreated' && (data as { rule_id: number }).rule_id === rule_id),
    )?.metadata.at
