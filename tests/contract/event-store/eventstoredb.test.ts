import type { RecordedEvent } from '../../../domain/event.ts'
import { randomUUID } from 'node:crypto'
import type { RememberingStore } from '../../../adapters/event-store/history.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { startOwnStandIn, type OwnStandIn } from '../../harness/eventstoredb/process.ts'
import { eventStoreContract } from './event-store-contract.ts'
import { openProxy } from './proxy.ts'

/** A real server to use instead of the stand-in: a single node without TLS. It may have been used before. */
const given = process.env.EVENTSTORE_URL

const placeOf = (url: string): { host: string; port: number } => {
  const [, host, port = '2113'] =
    /^(?:esdb|kurrentdb):\/\/(?:[^@/]*@)?([^:/?,]+)(?::(\d+))?\/?\?(?:.*&)?tls=false(?:&|$)/.exec(url) ?? []
  if (!host) throw new Error(`EVENTSTORE_URL must be that of a single node without TLS for the tests: ${url}`)
  return { host, port: Number(port) }
}

eventStoreContract(
  'eventstoredb',
  async () => {
    const own: OwnStandIn | undefined = given ? undefined : await startOwnStandIn()
    const url = given ?? own!.url
    const { host, port } = placeOf(url)
    const proxy = await openProxy(port, host)
    const through = url.replace(/(:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${proxy.port}`)
    const prefix = `test-${randomUUID()}.`
    const stores: EventStore<RecordedEvent>[] = []
    const open = async (at: string, deadlineMs?: number): Promise<RememberingStore<RecordedEvent>> => {
      const store = await openEventStoreDb({ url: at, prefix, parse: unparsed, ...(deadlineMs && { deadlineMs }) })
      stores.push(store)
      return store
    }
    return {
      store: await open(through),
      another: ({ deadlineMs } = {}) => open(url, deadlineMs),
      ...(own && { server: { stop: own.kill, start: own.start, putBack: own.putBack } }),
      network: proxy,
      child: {
        module: new URL('open-eventstoredb-store.ts', import.meta.url).href,
        argument: JSON.stringify({ url, prefix }),
      },
      close: async () => {
        await Promise.all(stores.map((store) => store.close()))
        await proxy.close()
        await own?.remove()
      },
    }
  },
  { canStopServer: !given },
)
