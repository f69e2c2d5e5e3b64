/** Tests `baoco reparse` as the operator types it, while an API runs. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { commandAsProcess } from '../harness/command-in-process.ts'
import { eventually } from '../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './http/api-under-test.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

describe('baoco reparse', () => {
  let api: ApiUnderTest
  before(async () => (api = await openApi({}, 'real')))
  after(() => api?.close())

  const settings = (url: string) => {
    const secrets = { JWT_SECRET: 'j'.repeat(32), VAULT_KEY: 'ab'.repeat(32) }
    return { PATH: process.env.PATH ?? '', DATABASE_URL: url, ...secrets }
  }
  const start = (url: string) => {
    const env = settings(url)
    const child = spawn(process.execPath, [BAOCO, 'reparse'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    return { child, result: Promise.all([text(child.stdout), ended]) }
  }

  it('says that it was interrupted, and reads everything when it runs again', async () => {
    const shop = await api.newAccount('shop@example.com')
    await api.ask('POST', `/api/receive/u/${shop.receive_token}?sender=BIDV`, { body: 'BIDV: 500,000VND' })
    const database = openDatabase(api.databaseUrl, { poolSize: 2 })
    // The API waits for the lock too. The command has a user of its own.
    const user = `reparse_${randomUUID().replaceAll('-', '')}`
    const url = new URL(api.databaseUrl)
    Object.assign(url, { username: user, password: user })
    try {
      await database.query(`CREATE ROLE ${user} SUPERUSER LOGIN PASSWORD '${user}'`)
      const { result } = await database.transaction(async (held) => {
        await held.query('LOCK TABLE store.event')
        const interrupted = start(url.href)
        const waits = `SELECT FROM pg_stat_activity WHERE usename = $1 AND wait_event_type = 'Lock'`
        const isWaiting = async () => (await database.query(waits, [user])).length > 0
        await eventually(isWaiting, { what: 'the waiting command' })
        interrupted.child.kill('SIGTERM')
        return interrupted
      })
      const output =
        '0 became transactions, 0 are ignored now, 0 are still unparsed, then stopped: run it again for the rest\n'
      expect(await result).to.deep.equal([output, 1])
    } finally {
      await database.query(`DROP ROLE IF EXISTS ${user}`)
      await database.close()
    }
    const { status, stdout } = await commandAsProcess(['reparse'], settings(api.databaseUrl))
    expect([stdout, status]).to.deep.equal(['0 became transactions, 0 are ignored now, 1 are still unparsed\n', 0])
  })
})
