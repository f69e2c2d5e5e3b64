/** Opens the embedded log in a child process of the contract. */
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openEmbeddedLog } from '../../../adapters/log/embedded.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import type { Log } from '../../../domain/ports.ts'

/** @param argument  the database's url */
export const openLog = async (argument: string): Promise<Log> =>
  openEmbeddedLog({
    store: await openPostgresEventStore({ url: argument, parse: parseEvent }),
    database: openDatabase(argument),
  })
