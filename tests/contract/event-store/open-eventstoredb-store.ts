/** Opens the EventStoreDB store in a child process of the contract. */
import type { RecordedEvent } from '../../../domain/event.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openEventStoreDb } from '../../../adapters/event-store/eventstoredb/store.ts'
import type { EventStore } from '../../../domain/ports.ts'

/** @param argument  url and prefix as JSON */
export const openStore = (argument: string): Promise<EventStore<RecordedEvent>> =>
  openEventStoreDb({ ...(JSON.parse(argument) as { url: string; prefix: string }), parse: unparsed })
