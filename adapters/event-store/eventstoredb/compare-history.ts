// Tests: tests/contract/event-store/eventstoredb.test.ts
/**
 * Compares the store with what this process knows of it. A position proves nothing here: a subscription from a position that no longer
 * exists may fail, stay silent, or go on as if nothing had happened.
 */
import { FORWARDS, StreamDeletedError, StreamNotFoundError } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Slice } from '../../../domain/ports.ts'
import type { History } from '../history.ts'
import type { Attempt } from './connection.ts'
import { recorded } from './event-conversion.ts'

/**
 * @param prefix  of every stream's name
 * @throws {StoreWentBack} · any error of the client
 */
export const compareHistory = async (attempt: Attempt, prefix: string, history: History): Promise<void> => {
  const read = async ({ stream, from = 0, limit = 1 }: Slice): Promise<RecordedEvent[]> => {
    const options = { direction: FORWARDS, fromRevision: BigInt(from), maxCount: limit, requiresLeader: true } as const
    const reading = attempt.client.readStream(prefix + stream, options)
    attempt.onGivenUp = () => void reading.cancel()
    const found: RecordedEvent[] = []
    try {
      for await (const { event } of reading) if (event) found.push(recorded(event, stream))
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error
    }
    attempt.checkWhole()
    return found
  }
  try {
    await history.compare((slices) => Promise.all(slices.map(read)))
  } catch (error) {
    // An operator deleted the stream for good. That says nothing about the other streams.
    if (!(error instanceof StreamDeletedError)) throw error
  }
}
