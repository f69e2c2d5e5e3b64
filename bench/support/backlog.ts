/** Stores deliveries whose first attempt failed, to create a backlog without waiting for hours. */
import { randomUUID } from 'node:crypto'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { openIds } from '../../adapters/system/ids.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { NO_STREAM } from '../../domain/ports.ts'
import type { NewEvent } from '../../domain/event.ts'
import { transactionStream, type TransactionEvent } from '../../domain/transaction/events.ts'
import { capturedData } from '../../tests/harness/captured-data.ts'
import { vietcombankText } from '../../tests/harness/bank-texts.ts'
import type { ShopRule } from './shops.ts'

const AT_ONCE = 1_000

/** @param due  the time of the next attempt */
const factsOf = ({ id: rule_id, user_id, prefix, url }: ShopRule, ids: [number, number], at: Date, due: Date) => {
  const [transaction_id, attempt_id] = ids
  const order_id = `${prefix}${transaction_id}`
  const description = vietcombankText(transaction_id, order_id, { at })
  const facts: TransactionEvent[] = [
    {
      type: 'TransactionCaptured',
      data: capturedData({
        transaction_id, user_id, source_type: 'api', source: 'url', account_number: '0011000415567',
        transaction_ref: `MBVCB.${900_000_000 + transaction_id}`, transaction_date: at.toISOString(),
        transaction_date_source: 'printed', description, content: order_id,
        raw_data: JSON.stringify({ text: description }), balance_after: '1000000.00', order_id, prefix,
        rules: [rule_id], webhook_status: 'pending', created_at: at.toISOString(),
      }),
    },
    {
      type: 'WebhookAttempted',
      data: {
        transaction_id, attempt_id, rule_id, attempt: 1, method: 'POST', url, account_revision: 0,
        timestamp: Math.floor(at.getTime() / 1000), body_sha256: '', renderer: 0, http_status: 404,
        response_body: 'no such order yet', error: 'http_404', sent_at: at.toISOString(), duration_ms: 1,
        outcome: 'retrying', next_attempt_at: due.toISOString(),
      },
    },
  ] // prettier-ignore
  const metadata = { user_id, at: at.toISOString(), correlation_id: 'backlog', causation_id: 'backlog', version: 1 }
  const events = facts.map((fact): NewEvent => ({ id: randomUUID(), ...fact, metadata }))
  return { stream: transactionStream(transaction_id), expectedRevision: NO_STREAM, events }
}

/** Stores `count` transactions, for the rules in turn. @returns the store's newest position after that */
export const fillBacklog = async (
  databaseUrl: string,
  rules: readonly ShopRule[],
  count: number,
  due = new Date(),
): Promise<string> => {
  const store = await openPostgresEventStore({ url: databaseUrl, deadlineMs: 60_000, parse: parseEvent })
  const ids = openIds({ store, clock })
  const at = new Date(Date.now() - 120_000)
  let last = ''
  try {
    for (let filled = 0; filled < count; filled += AT_ONCE) {
      const some = Math.min(AT_ONCE, count - filled)
      const numbers = await ids.next(2 * some)
      const pair = (n: number): [number, number] => [numbers[2 * n]!, numbers[2 * n + 1]!]
      const units = Array.from({ length: some }, (_, n) => [
        factsOf(rules[(filled + n) % rules.length]!, pair(n), at, due),
      ])
      for (const result of await store.append(units)) {
        if (!result.ok) throw new Error('the backlog met events that were there before')
        last = result.checkpoint
      }
    }
  } finally {
    await store.close()
  }
  return last
}
