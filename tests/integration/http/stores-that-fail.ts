/** Event stores on servers of their own, which a test freezes, kills and slows down, behind the circuit breaker. */
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import { guardStore, type BreakerOptions, type Outage } from '../../../adapters/event-store/circuit-breaker.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { openProxy, type Proxy } from '../../contract/event-store/proxy.ts'
import { standInUrl, startOwnStandIn } from '../../harness/eventstoredb/process.ts'
import { startOwnPostgres } from '../../harness/own-postgres.ts'
import type { OwnServer } from '../../harness/own-server.ts'

export interface FailingStore {
  store: EventStore
  requestStore: EventStore
  isOpen(): boolean
  silentMs(): number
  server: OwnServer
  network: Proxy
  /** The outages that were reported when they ended. */
  recoveries: Outage[]
  close(): Promise<void>
}

const openOn = {
  EventStoreDB: async () => {
    const server = await startOwnStandIn()
    const network = await openProxy(server.port)
    return {
      server,
      network,
      bare: await openEventStoreDb({ url: standInUrl(network.port), prefix: 'test.', parse: parseEvent }),
    }
  },
  Postgres: async () => {
    const server = await startOwnPostgres({ durable: false })
    await migrateDatabase(server.url())
    const network = await openProxy(server.port)
    return { server, network, bare: await openPostgresEventStore({ url: server.url(network.port), parse: parseEvent }) }
  },
} as const

export type StoreName = keyof typeof openOn
export const STORE_NAMES = Object.keys(openOn) as StoreName[]

export const openFailingStore = async (name: StoreName, options: BreakerOptions): Promise<FailingStore> => {
  const { server, network, bare } = await openOn[name]()
  const recoveries: Outage[] = []
  const guarded = guardStore(bare, { ...options, onRecovered: (outage) => recoveries.push(outage) })
  return {
    ...guarded,
    server,
    network,
    recoveries,
    close: async () => {
      await guarded.end()
      server.thaw()
      await network.close()
      await server.remove()
    },
  }
}
