/** A start that waits for its servers answers health checks, names what it waits for, and asks phones to send again. */
import { VERSION } from '../../../adapters/system/version.ts'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import {
  launchBaoco,
  newDataFolder,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Starting,
} from '../../harness/baoco-process.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { eventually } from '../../harness/eventually.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { startOwnPostgres, type OwnPostgres } from '../../harness/own-postgres.ts'
import { EVERY_ROLE } from '../../harness/role-processes.ts'

const SECRETS = { JWT_SECRET: randomBytes(32).toString('hex'), VAULT_KEY: randomBytes(32).toString('hex') }

describe('a start that waits for its servers', () => {
  let postgres: OwnPostgres
  let nowhere: number
  const dataFolders: DataFolder[] = []
  const started: Starting[] = []

  before(async () => {
    ;[postgres, [nowhere = 0]] = await Promise.all([startOwnPostgres({ durable: false }), freePorts(1)])
  })
  after(async () => {
    await Promise.all(started.map((each) => each.kill()))
    await Promise.all(dataFolders.map(removeDataFolder))
    await postgres?.remove()
  })

  const newFolder = async () => {
    const dataFolder = await newDataFolder()
    dataFolders.push(dataFolder)
    return dataFolder
  }
  const launch = async (role: string, env: Record<string, string>) => {
    const running = launchBaoco(await newFolder(), { DATABASE_URL: postgres.url(), ...SECRETS, ...env }, role)
    started.push(running)
    return running
  }
  const answer = async (url: string, method = 'GET') => {
    const response = await fetch(url, { method })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() }
  }
  const waitsFor = (healthUrl: string, server: string) =>
    eventually(
      async () => {
        const { status, body } = await answer(`${healthUrl}/readyz`)
        return status === 503 && (body as { parts: Record<string, string> }).parts[server] === 'unavailable'
      },
      { within: 60_000, what: `/readyz that names the ${server}` },
    )

  it('answers health checks on METRICS_PORT alone in every role, and becomes ready', async () => {
    await postgres.stop()
    const ports = await freePorts(EVERY_ROLE.length)
    const urls = new Map(EVERY_ROLE.map((role, n) => [role, `http://127.0.0.1:${ports[n]}`]))
    // Only the relay waits for Kafka.
    const kafka = { KAFKA_BROKERS: `127.0.0.1:${nowhere}` }
    const running = await Promise.all(
      EVERY_ROLE.map((role, n) => launch(role, { METRICS_PORT: String(ports[n]), ...(role === 'relay' && kafka) })),
    )
    for (const [role, url] of urls) {
      await waitsFor(url, 'database')
      expect((await answer(`${url}/healthz`)).status, role).to.equal(200)
      expect((await fetch(`${url}/metrics`)).status, role).to.equal(200)
    }
    const publicUrl = running[EVERY_ROLE.indexOf('api')]!.baseUrl
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await answer(`${publicUrl}${path}`)).body, path).to.include({ error: 'STORE_UNAVAILABLE' })
    await postgres.start()
    for (const [role, url] of urls)
      if (role === 'relay') await waitsFor(url, 'kafka')
      else await eventually(async () => (await answer(`${url}/readyz`)).status === 200, { within: 60_000, what: role })
    await Promise.all(running.map((each) => each.stop()))
  })

  it('waits for a comparison with the former state that takes long', async () => {
    const dataFolder = await newDataFolder()
    dataFolders.push(dataFolder)
    const env = { DATABASE_URL: postgres.url(), ...SECRETS }
    await (await startBaoco(dataFolder, env)).stop()
    const database = openDatabase(postgres.url(), { poolSize: 1 })
    try {
      const running = await database.transaction(async (held) => {
        await held.query('LOCK TABLE read_model.checkpoint')
        const slow = launchBaoco(dataFolder, env)
        started.push(slow)
        // Longer than the time after which a running process keeps what it knows of the store.
        await pause(9_000)
        return slow
      })
      await running.ready
      await running.stop()
    } finally {
      await database.close()
    }
  })

  it('waits for the migration of another process, names it, and ends at once', async () => {
    const database = openDatabase(postgres.url(), { poolSize: 1 })
    try {
      await database.query(`DELETE FROM public.migrations WHERE name = (SELECT max(name) FROM public.migrations)`)
      await database.transaction(async (held) => {
        // It can be read, and not be changed.
        await held.query('LOCK TABLE public.migrations IN EXCLUSIVE MODE')
        const both = await Promise.all([launch('api', {}), launch('api', {})])
        for (const { baseUrl } of both) await waitsFor(baseUrl, 'migration')
        for (const each of both) {
          expect(await each.stop(), 'ms').to.be.below(5_000)
          expect(await each.ended).to.equal(0)
          expect(each.output()).to.match(/^Baoco was stopped before it was ready$/m)
        }
      })
      await (
        await launch('api', {})
      ).ready
    } finally {
      await database.close()
    }
  })

  it('says once that delivery waits for read models of its version, and goes on with them', async () => {
    const database = openDatabase(postgres.url(), { poolSize: 1 })
    const rename = (from: string, to: string) =>
      database.query(`ALTER TABLE read_model.delivery RENAME COLUMN ${from} TO ${to}`)
    try {
      await (await startBaoco(await newFolder(), { DATABASE_URL: postgres.url(), ...SECRETS })).stop()
      await rename('first_due_at', 'not_yet')
      const deliver = await launch('deliver', {})
      await deliver.ready
      const lines = () => deliver.output().match(/^.*does not exist.*$/gm) ?? []
      await eventually(() => lines().length > 0, { what: 'a line that names the column' })
      await rename('not_yet', 'first_due_at')
      await deliver.stop()
      expect(lines()).to.have.length(1)
      expect(lines()[0]).to.match(/"reason":"column \S*first_due_at does not exist","event":"read_models\.awaited"/)
    } finally {
      await database.close()
    }
  })

  it('names a lock that another session holds while it migrates, and ends at once when it is stopped', async () => {
    const database = openDatabase(postgres.url(), { poolSize: 1, applicationName: 'psql' })
    try {
      await database.query(`DELETE FROM public.migrations WHERE name >= '046'`)
      await database.transaction(async (held) => {
        await held.query('LOCK TABLE ops.installation')
        const api = await launch('api', {})
        const line = /"waiting_for":"migration","reason":"waits for a lock: ops\.installation, which psql holds \(/
        await eventually(() => line.test(api.output()), { what: 'a line that names the lock' })
        expect(await api.stop(), 'ms').to.be.below(5_000)
        expect(await api.ended).to.equal(0)
      })
      await (
        await launch('api', {})
      ).ready
    } finally {
      await database.close()
    }
  })

  it('names a lock that another session holds, and ends soon after it is stopped', async () => {
    const database = openDatabase(postgres.url(), { poolSize: 1, applicationName: 'psql' })
    try {
      await database.transaction(async (held) => {
        await held.query('LOCK TABLE ops.installation')
        // An address may name the application too.
        const api = await launch('api', { DATABASE_URL: `${postgres.url()}?application_name=shop` })
        // It also waits for the database at first, until it is connected.
        const line =
          /"waits for a lock: ops\.installation, which psql holds \(process \d+ of the server\)","event":"start\.waiting"/
        await eventually(() => line.test(api.output()), { what: 'a line that names the lock' })
        await waitsFor(api.baseUrl, 'database')
        expect(await api.stop(), 'ms').to.be.below(8_000)
        expect(await api.ended).to.equal(0)
        expect(api.output()).to.match(/^Baoco was stopped before it was ready$/m)
      })
    } finally {
      await database.close()
    }
  })

  it('answers health checks on PORT without METRICS_PORT, and everything else with 503 and Retry-After', async () => {
    const api = await launch('serve', { EVENTSTORE_URL: standInUrl(nowhere) })
    await waitsFor(api.baseUrl, 'event_store')
    expect(await answer(`${api.baseUrl}/healthz`)).to.deep.include({
      status: 200,
      body: { status: 'ok', version: VERSION },
    })
    const posted = await answer(`${api.baseUrl}/api/receive/u/abc`, 'POST')
    expect([posted.status, posted.retryAfter]).to.deep.equal([503, '5'])
    expect(posted.body).to.include({ error: 'STORE_UNAVAILABLE' })
    const began = performance.now()
    await api.stop()
    expect(performance.now() - began).to.be.below(5_000)
    expect(await api.ended).to.equal(0)
    expect(api.output())
      .to.match(/^Baoco was stopped before it was ready$/m)
      .and.not.match(/^baoco:/m)
  })
})
