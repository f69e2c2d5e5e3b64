/** A stand-in server in this process, in which tests can cause faults, and stores that use it. */
import type { RecordedEvent } from '../../../domain/event.ts'
import { unparsed, type Parse } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'

export interface StandInStores<Event extends RecordedEvent = RecordedEvent> {
  standIn: StandIn
  url: string
  store: EventStore<Event>
  /** The errors that the store has reported, in order. */
  failures: unknown[]
  another(options?: { prefix?: string; deadlineMs?: number; url?: string }): Promise<EventStore<Event>>
  close(): Promise<void>
}

/** @param folder  where the stand-in stores its events. Without it they are not stored on disk. */
export const openParsedStores = async <Event extends RecordedEvent>(
  parse: Parse<Event>,
  folder?: string,
): Promise<StandInStores<Event>> => {
  const standIn = await startStandIn(folder === undefined ? {} : { folder })
  const own = standInUrl(standIn.port)
  const stores: EventStore<Event>[] = []
  const failures: unknown[] = []
  const another: StandInStores<Event>['another'] = async ({ prefix = 'test.', url = own, ...options } = {}) => {
    const store = await openEventStoreDb({
      url,
      prefix,
      parse,
      onFailure: (error) => failures.push(error),
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
    another,
    close: async () => {
      await Promise.all(stores.map((store) => store.close()))
      await standIn.close()
    },
  }
}

/** Its stores return events as they are stored. */
export const openStandInStores = (folder?: string): Promise<StandInStores> => openParsedStores(unparsed, folder)
