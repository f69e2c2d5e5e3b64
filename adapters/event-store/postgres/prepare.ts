/** The store's and the log's tables, made directly from their migrations: for tests and tools without the migration runner. */
import { readFile } from 'node:fs/promises'
import type { Database } from '../../postgres/database.ts'

const MIGRATIONS = ['001_store.sql', '002_log.sql']

/** Safe to run again, and by several processes at once. */
export const prepareStore = async (database: Database): Promise<void> => {
  const texts = await Promise.all(
    MIGRATIONS.map((name) => readFile(new URL(`../../postgres/migrations/${name}`, import.meta.url), 'utf8')),
  )
  await database.transaction(async (transaction) => {
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('baoco prepareStore'))`)
    for (const text of texts) await transaction.query(text)
  })
}
