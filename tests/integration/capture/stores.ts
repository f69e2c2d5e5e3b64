/** The stores that capture is tested on. Each can simulate a crash in the middle of a capture. */
import { parseEvent } from '../../../domain/parse-event.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn } from '../../harness/eventstoredb/server.ts'
import { freshDatabase } from '../../harness/postgres.ts'
import { stepwise } from '../../harness/stepwise-store.ts'

export interface Mortal {
  store: EventStore
  /** The next call fails as unavailable after it has appended to this many streams. */
  dieAfter(streams: number): void
  /** To be called when the failing call has ended. Later calls work normally. */
  isDead(): void
}

export interface TestStore {
  store: EventStore
  /** The store as another process sees it. */
  mortal(): Promise<Mortal>
  close(): Promise<void>
}

export const STORES: Record<string, () => Promise<TestStore>> = {
  /** Postgres appends a group as a whole or not at all. `stepwise` removes this guarantee. */
  'Postgres, stream by stream': async () => {
    const database = await freshDatabase()
    const store = await openPostgresEventStore({ url: database.url, parse: parseEvent })
    return {
      store,
      mortal: async () => {
        let left: number | null = null
        return {
          store: stepwise(store, (_part, done) => {
            if (left !== null && done === left) throw new StoreUnavailable('it died here')
          }),
          dieAfter: (streams) => (left = streams),
          isDead: () => (left = null),
        }
      },
      close: async () => {
        await store.close()
        await database.drop()
      },
    }
  },
  /** The server accepts a limited number of appends, so the order in which the adapter appends is tested. */
  EventStoreDB: async () => {
    const standIn = await startStandIn()
    const open = async (deadlineMs: number) =>
      await openEventStoreDb({ url: standInUrl(standIn.port), prefix: 'test.', deadlineMs, parse: parseEvent })
    const store = await open(10_000)
    const opened = [store]
    return {
      store,
      mortal: async () => {
        const impatient = await open(200)
        opened.push(impatient)
        return {
          store: impatient,
          dieAfter: (appends) =>
            Object.assign(standIn.troubles, {
              appends_left: appends,
              appends_to: '^test\\.(book|plan-order|transaction)-',
            }),
          isDead: () => (standIn.troubles.appends_left = null),
        }
      },
      close: async () => {
        await Promise.all(opened.map((each) => each.close()))
        await standIn.close()
      },
    }
  },
}
