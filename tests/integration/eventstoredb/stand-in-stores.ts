/** A stand-in server in this process, in which tests can cause faults, and stores that use it. */
import type { RecordedEvent } from '../../../domain/event.ts'
import { unparsed, type Parse } from '../../../adapters/event-store/parse.ts'
import type { Outage } from '../../../adapters/event-store/eventstoredb/outage-report.ts'
import { openEventStoreDb, type EventStoreDbOptions } from '../../../adapters/event-store/eventstoredb/store.ts'
import type { RememberingStore } from '../../../adapters/event-store/history.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'

export interface StandInStores<Event extends RecordedEvent = RecordedEvent> {
  standIn: StandIn
  url: string
  store: RememberingStore<Event>
  /** The first error of each outage, in order. */
  failures: unknown[]
  /** The outages that have ended. */
  recoveries: Outage[]
  another(options?: Partial<EventStoreDbOptions<Event>>): Promise<RememberingStore<Event>>
  close(): Promise<void>
}

export const openParsedStores = async <Event extends RecordedEvent>(
  parse: Parse<Event>,
): Promise<StandInStores<Event>> => {
  const standIn = await startStandIn()
  const own = standInUrl(standIn.port)
  const stores: RememberingStore<Event>[] = []
  const failures: unknown[] = []
  const recoveries: Outage[] = []
  const another: StandInStores<Event>['another'] = async ({ prefix = 'test.', url = own, ...options } = {}) => {
    const store = await openEventStoreDb({
      url,
      prefix,
      parse,
      onFailure: (error) => failures.push(error),
      onRecovery: (outage) => recoveries.push(outage),
      ...options,
    })
    stores.push(store)
    return store
  }
  return {
    standIn,
    url: own,
    store: await another(),
    failures,
    recoveries,
    another,
    close: async () => {
      await Promise.all(stores.map((store) => store.close()))
      await standIn.close()
    },
  }
}

/** Its stores return events as they are stored. */
export const openStandInStores = (): Promise<StandInStores> => openParsedStores(unparsed)
