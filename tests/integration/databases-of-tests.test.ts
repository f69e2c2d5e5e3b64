import { expect } from 'chai'
import { openFreshDatabase } from '../harness/postgres.ts'

describe('the Postgres of the tests', () => {
  it('waits for no disk', async function () {
    // Another server has its own settings.
    if (process.env.TEST_DATABASE_URL) return
    const { database, close } = await openFreshDatabase()
    try {
      const settings = await database.query(
        `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') ORDER BY name`,
      )
      expect(settings.map(({ name, setting }) => `${String(name)} ${String(setting)}`)).to.deep.equal([
        'fsync off',
        'full_page_writes off',
      ])
    } finally {
      await close()
    }
  })
})
