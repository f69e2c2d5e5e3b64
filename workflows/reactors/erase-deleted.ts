// Tests: tests/unit/workflows/reactors/erase-deleted.test.ts, tests/integration/reactors/reactors.test.ts
/** Erases the personal data of a deleted transaction from the store. The last event stays: it records the deletion. */
import type { EventStore } from '../../domain/ports.ts'
import { reactor, type Reactor } from './reactor.ts'

export const eraseDeleted = (store: Pick<EventStore, 'read' | 'erase'>): Reactor =>
  reactor('erase_deleted', ['transaction-'], {
    TransactionDeleted: async ({ stream }) => {
      // The event that stays must not contain personal data.
      const [[last] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
      if (last?.type === 'TransactionDeleted') await store.erase(stream)
    },
  })
