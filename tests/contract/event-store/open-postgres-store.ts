/** Opens the Postgres store in a child process of the contract. */
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import type { EventStore } from '../../../domain/ports.ts'

/** @param argument  the database's url */
export const openStore = (argument: string): Promise<EventStore> => openPostgresEventStore({ url: argument })
