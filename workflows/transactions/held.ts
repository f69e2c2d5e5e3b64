// Tests: tests/integration/http/counter-stream.test.ts
/**
 * Finds transactions that are held back: old ones, credits to a bank account that its owner has not confirmed (decisions, T5 and T6), and money
 * that came back.
 */
import { isReadable } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { hasComeBack } from '../../domain/transaction/history.ts'
import { transactionStream } from '../../domain/transaction/events.ts'

/** @returns those of the transactions that are held back. A stream counts as far as it can be read. @throws {StoreUnavailable} */
export const heldAmong = async (store: EventStore, ids: readonly number[]): Promise<ReadonlySet<number>> => {
  const streams = await store.read(ids.map((id) => ({ stream: transactionStream(id) })))
  const held = new Set<number>()
  for (const event of streams.flat().filter(isReadable)) {
    if (event.type === 'TransactionCaptured' || event.type === 'TransactionCompleted') {
      const isHeld = event.data.held !== undefined || (event.type === 'TransactionCaptured' && hasComeBack(event.data))
      if (isHeld) held.add(event.data.transaction_id)
    } else if (event.type === 'WebhookRetryRequested') held.delete(event.data.transaction_id)
  }
  return held
}
