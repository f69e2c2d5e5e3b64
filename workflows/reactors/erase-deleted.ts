/** A deleted transaction's personal data leaves the store; that it was deleted stays, as its last event. */
import type { EventStore } from '../../domain/ports.ts'
import { reaction, type Reaction } from './reactor.ts'

export const eraseDeleted = (store: Pick<EventStore, 'read' | 'erase'>): Reaction =>
  reaction('erase_deleted', ['transaction-'], {
    TransactionDeleted: async ({ stream }) => {
      // Only what holds no personal data may be the event that stays.
      const [[last] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
      if (last?.type === 'TransactionDeleted') await store.erase(stream)
    },
  })
