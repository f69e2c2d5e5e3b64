/** Opens the Postgres store in a child process of the contract. */
import type { RecordedEvent } from '../../../domain/event.ts'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import type { EventStore } from '../../../domain/ports.ts'

/** @param argument  the database's url */
export const openStore = (argument: string): Promise<EventStore<RecordedEvent>> =>
  openPostgresEventStore({ url: argument, parse: unparsed })
