/** The parts of the contract's harness for the store on a Postgres server. */
import { openDatabase } from '../../../adapters/database/database.ts'
import type { RememberingStore } from '../../../adapters/event-store/history.ts'
import type { RecordedEvent } from '../../../domain/event.ts'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import type { OwnServer } from '../../harness/own-server.ts'
import type { StoreHarness } from './harness.ts'
import { openProxy } from './proxy.ts'

/** @param url  of the database, through a port if one is given */
export const postgresHarness = async (
  server: OwnServer & { port: number },
  url: (port?: number) => string,
): Promise<StoreHarness> => {
  const proxy = await openProxy(server.port)
  await migrateDatabase(url())
  const stores: RememberingStore<RecordedEvent>[] = []
  const open = async (to: string, deadlineMs?: number): Promise<RememberingStore<RecordedEvent>> => {
    const store = await openPostgresEventStore({ url: to, parse: unparsed, ...(deadlineMs && { deadlineMs }) })
    stores.push(store)
    return store
  }
  const putBack = async (checkpoint: string): Promise<void> => {
    const database = openDatabase(url(), { poolSize: 1 })
    await database.transaction(async (transaction) => {
      await transaction.query('DELETE FROM store.event WHERE position > $1', [checkpoint])
      await transaction.query('UPDATE store.head SET given_up_to = least(given_up_to, $1)', [checkpoint])
    })
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    )
    await database.close()
  }
  return {
    store: await open(url(proxy.port)),
    another: ({ deadlineMs } = {}) => open(url(), deadlineMs),
    server: { ...server, putBack },
    network: proxy,
    child: { module: new URL('open-postgres-store.ts', import.meta.url).href, argument: url() },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()))
      await proxy.close()
      await server.remove()
    },
  }
}
