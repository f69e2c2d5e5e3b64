/** One account with many slow requests, and the others that read meanwhile. */
import { expect } from 'chai'
import { READING_REQUESTS } from '../../../adapters/http/parts.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import type { FreshAccount } from '../../../workflows/accounts/registration.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

describe('the read models while one account asks for much', () => {
  let api: ApiUnderTest
  let busy: FreshAccount
  let quiet: FreshAccount
  before(async () => {
    api = await openApi()
    busy = await api.newAccount('busy@example.com')
    quiet = await api.newAccount('quiet@example.com')
  })
  after(() => api.close())

  /** Runs while every query of this table waits. */
  const whileLocked = async (table: string, work: (waiting: () => Promise<number>) => Promise<void>): Promise<void> => {
    const database = openDatabase(api.databaseUrl, { poolSize: 2 })
    const waiting = async (): Promise<number> => {
      const [row] = await database.query<{ number: number }>(
        'SELECT count(*) AS number FROM pg_locks WHERE NOT granted AND relation = $1::regclass',
        [table],
      )
      return row!.number
    }
    try {
      await database.transaction(async (transaction) => {
        await transaction.query(`LOCK TABLE ${table}`)
        await work(waiting)
      })
    } finally {
      await database.close()
    }
  }

  it('answers the lists of another account at once', async () => {
    const statuses: number[] = []
    let searches: Promise<unknown> | undefined
    await whileLocked('search_model.searchable', async (waiting) => {
      searches = Promise.all(
        Array.from({ length: 30 }, async (_, number) => {
          const path = `/api/transactions?search=x${number}`
          statuses.push((await api.ask('GET', path, { key: busy.api_key })).status)
        }),
      )
      await eventually(async () => (await waiting()) === READING_REQUESTS.mostOfOne, { within: 5_000 })
      for (const path of ['/api/transactions', '/api/alerts', '/api/stats', '/api/undelivered', '/api/notifications'])
        expect((await api.ask('GET', path, { key: quiet.api_key })).status, path).to.equal(200)
      expect(statuses, 'no search has ended').to.deep.equal([])
      expect(await waiting()).to.equal(READING_REQUESTS.mostOfOne)
    })
    await searches
    expect(statuses.filter((status) => status !== 200)).to.deep.equal([])
  })

  it('has at most five exports of an account open', async () => {
    const ask = (key = busy.api_key) => api.ask('GET', '/api/transactions/export?format=csv', { key })
    let exports: ReturnType<typeof ask>[] = []
    await whileLocked('read_model.transaction_total', async () => {
      exports = Array.from({ length: 6 }, () => ask())
      const refused = await Promise.race(exports)
      expect([refused.status, refused.body]).to.deep.equal([
        429,
        {
          success: false,
          error: 'RATE_LIMITED',
          message: 'An account can have 5 exports open. Read one to the end first. Try again in 30 s.',
        },
      ])
      expect(refused.headers.get('retry-after')).to.equal('30')
    })
    const statuses = (await Promise.all(exports)).map(({ status }) => status)
    expect(statuses.sort()).to.deep.equal([200, 200, 200, 200, 200, 429])
    await eventually(async () => (await ask()).status === 200)
    expect((await ask(quiet.api_key)).status).to.equal(200)
  })
})
