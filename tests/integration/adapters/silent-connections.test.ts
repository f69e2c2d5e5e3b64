/** Connections that are lost without a sign, as when the server's machine is gone or a firewall has forgotten them. */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openProxy, type Proxy } from '../../contract/event-store/proxy.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { errorOf } from '../../harness/outcomes.ts'

const LOOK_EVERY_MS = 50
/** Bytes. */
const LARGE = 10_000_000

describe('a connection that is lost without a sign', () => {
  let testDatabase: TestDatabase
  let network: Proxy
  let direct: Database
  let database: Database
  beforeEach(async () => {
    testDatabase = await freshDatabase()
    network = await openProxy(Number(new URL(testDatabase.url).port))
    direct = openDatabase(testDatabase.url, { poolSize: 1 })
    const url = new URL(testDatabase.url)
    url.port = String(network.port)
    database = openDatabase(url.href, { poolSize: 2, lookEveryMs: LOOK_EVERY_MS })
  })
  afterEach(async () => {
    await network.close()
    await Promise.all([database.close(), direct.close()])
    await testDatabase.drop()
  })

  const outcome = async (work: Promise<unknown>): Promise<string> => (await errorOf(work))?.message ?? 'answered'
  const LOST = 'Connection terminated: the server has no statement of this silent connection'

  it('is given up by a statement that never reached the server, and the next one gets a new connection', async () => {
    await database.query('SELECT 1')
    network.silence()
    expect(await outcome(database.query('SELECT 1'))).to.equal(LOST)
    expect(await outcome(database.query('SELECT 1'))).to.equal('answered')
  })

  it('is given up by a statement whose answer is lost, and by its transaction', async () => {
    const working = database.transaction(async (transaction) => {
      await transaction.query('SELECT 1')
      network.silence()
      await transaction.query('SELECT 1')
    })
    expect(await outcome(working)).to.equal(LOST)
    expect(await outcome(database.query('SELECT 1'))).to.equal('answered')
  })

  it('is given up if it is a connection of its own', async () => {
    const client = await database.connect()
    network.silence()
    expect(await outcome(client.query('SELECT 1'))).to.equal(LOST)
    await client.end()
  })

  it('is given up in the middle of an answer', async () => {
    const client = await database.connect()
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.pause()
    expect(await outcome(client.query(`SELECT repeat('x', 50000000)`))).to.equal(LOST)
    await client.end()
  })

  it('is given up while the server itself waits to send the rest of an answer', async () => {
    const straight = openDatabase(testDatabase.url, { poolSize: 1, lookEveryMs: LOOK_EVERY_MS })
    const client = await straight.connect()
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.pause()
    expect(await outcome(client.query(`SELECT repeat('x', 50000000)`))).to.equal(LOST)
    await client.end()
    await straight.close()
  })

  it('is not assumed if a statement takes long or waits for a lock', async () => {
    let waiting = Promise.resolve('')
    await direct.transaction(async (held) => {
      await held.query('SELECT pg_advisory_xact_lock(1)')
      waiting = outcome(database.query('SELECT pg_advisory_xact_lock(1)'))
      const seconds = (20 * LOOK_EVERY_MS) / 1_000
      expect(await outcome(database.query('SELECT pg_sleep($1)', [seconds]))).to.equal('answered')
    })
    expect(await waiting).to.equal('answered')
  })

  it('is not assumed if a large statement takes long to reach the server, alone or behind another one', async () => {
    const large = { text: 'SELECT length($1)', values: ['x'.repeat(LARGE)] }
    const [client, pipeline] = await Promise.all([database.connect(), database.connect({ pipeline: true })])
    network.limit(LARGE / 10)
    expect(await outcome(client.query(large))).to.equal('answered')
    const both = [pipeline.query('SELECT 1'), pipeline.query(large)]
    expect(await Promise.all(both.map(outcome))).to.deep.equal(['answered', 'answered'])
    await Promise.all([client.end(), pipeline.end()])
  })

  it('is noticed by the system within seconds while it is idle', async function () {
    if (process.platform !== 'linux') this.skip()
    const client = await direct.connect()
    const { rows } = await client.query<{ port: number }>('SELECT inet_client_port() AS port')
    const local = rows[0]!.port.toString(16).toUpperCase().padStart(4, '0')
    /** Hundredths of a second until the next timer of the connection, if that asks for a sign of life. */
    const untilAsked = (): number => {
      const line = readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .find((each) => each.trim().split(/\s+/)[1]?.endsWith(`:${local}`))
      const [, left = ''] = /^02:([0-9A-F]+)$/.exec(line?.trim().split(/\s+/)[5] ?? '') ?? []
      return Number.parseInt(left, 16)
    }
    await eventually(() => untilAsked() <= 1_000, { what: 'a timer of at most ten seconds' })
    await client.end()
  })
})
