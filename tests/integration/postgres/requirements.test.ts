/** A server on which Baoco cannot work is refused at the start, in one sentence. */
import { expect } from 'chai'
import pg from 'pg'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import { unsuitable, UnsuitableServer } from '../../../adapters/database/requirements.ts'
import { emptyDatabase } from '../../harness/postgres.ts'

describe('the requirements of a Postgres server', () => {
  it('are version 15 or later and UTF-8', () => {
    expect(unsuitable({ version: 150_000, encoding: 'UTF8' })).to.equal(null)
    expect(unsuitable({ version: 140_012, encoding: 'UTF8' })).to.equal(
      'the server of DATABASE_URL is Postgres 14: use version 15 or later',
    )
    expect(unsuitable({ version: 180_000, encoding: 'LATIN1' })).to.equal(
      "the database of DATABASE_URL has the encoding LATIN1: create it with ENCODING 'UTF8' TEMPLATE template0",
    )
  })

  it('are checked before anything is created', async () => {
    const other = await emptyDatabase()
    const client = new pg.Client({ connectionString: other.url })
    await client.connect()
    await client.query(
      `CREATE DATABASE of_bytes ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    )
    const url = new URL(other.url)
    url.pathname = '/of_bytes'
    try {
      const error = await migrateDatabase(url.href).catch((reason: Error) => reason)
      expect(error).to.be.instanceOf(UnsuitableServer)
      expect((error as Error).message).to.include('SQL_ASCII')
    } finally {
      await client.query('DROP DATABASE of_bytes')
      await client.end()
      await other.drop()
    }
  })
})
