/** Opens the embedded log in a child process of the contract. */
import { parsing } from '../../../adapters/event-store/parsing.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openEmbeddedLog } from '../../../adapters/log/embedded.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import type { Log } from '../../../domain/ports.ts'

/** @param argument  the database's url */
export const openLog = async (argument: string): Promise<Log> =>
  openEmbeddedLog({ store: parsing(await openPostgresEventStore({ url: argument })), database: openDatabase(argument) })
