/** Settings that differ between the processes of an installation are named, in the log and by `baoco status`. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { enter, presentProcesses, type Presence } from '../../../adapters/database/presence.ts'
import { differingSettings, watchSettings } from '../../../adapters/database/shared-settings.ts'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { SHARED_NAMES, sharedSettings } from '../../../cmd/settings/shared-settings.ts'
import { eventually } from '../../harness/eventually.ts'
import { emptyDatabase, type TestDatabase } from '../../harness/postgres.ts'

const SECRET = 'j'.repeat(32)
const settings = (env: Record<string, string> = {}, jwtSecret = SECRET) => sharedSettings(readSettings(env), jwtSecret)

describe('settings of several processes', () => {
  let testDatabase: TestDatabase
  let database: Database
  const present: Presence[] = []
  const start = async (role: string, env: Record<string, string> = {}, jwtSecret = SECRET): Promise<Presence> => {
    const presence = await enter(database, role)
    present.push(presence)
    await presence.show(await settings(env, jwtSecret))
    return presence
  }
  const differing = () => differingSettings(database, SHARED_NAMES)

  before(async () => {
    testDatabase = await emptyDatabase()
    database = openDatabase(testDatabase.url)
  })
  afterEach(async () => {
    await Promise.all(present.splice(0).map((presence) => presence.leave()))
    await eventually(async () => (await differing()).length === 0)
  })
  after(async () => {
    await database.close()
    await testDatabase.drop()
  })

  it('agree if only settings of a single process differ', async () => {
    await start('api', { PORT: '8081', METRICS_PORT: '9001', KAFKA_BROKERS: 'a:9092', BASE_URL: 'https://pay.example' })
    await start('project', {
      PORT: '8082',
      LOG_LEVEL: 'debug',
      KAFKA_BROKERS: 'b:9092',
      BASE_URL: 'https://pay.example/',
    })
    expect(await differing()).to.deep.equal([])
  })

  it('agree without BASE_URL, whatever the ports are, and if a default is written out', async () => {
    await start('api', { PORT: '8081' })
    await start('deliver', { PORT: '8082', RETRY_SCHEDULE: '60,300,1800,7200,28800,86400' })
    expect(await differing()).to.deep.equal([])
  })

  it('agree if the same BASE_URL is the own address of one of them', async () => {
    const env = { BASE_URL: 'http://localhost:8081' }
    await start('api', { ...env, PORT: '8081' })
    await start('project', env)
    expect(await differing()).to.deep.equal([])
  })

  it('are named with the processes that have the same value', async () => {
    await start('api', { BASE_URL: 'https://pay.example' })
    await start('deliver', { BASE_URL: 'https://pay.example', RETRY_SCHEDULE: '60,300' })
    await start('project', {}, 'k'.repeat(32))
    const found = await differing()
    expect(found.map(({ setting }) => setting)).to.deep.equal(['BASE_URL', 'JWT_SECRET', 'RETRY_SCHEDULE'])
    const roles = (text: string) => text.match(/\((\w+)\)/g)
    expect(found.map(({ processes }) => processes.map(roles))).to.deep.equal([
      [['(api)', '(deliver)'], ['(project)']],
      [['(api)', '(deliver)'], ['(project)']],
      [['(api)', '(project)'], ['(deliver)']],
    ])
    expect(found[0]!.processes[1]).to.match(/^baoco \(project\) from 127\.0\.0\.1$/)
  })

  it('are named again after the database has ended the connection', async () => {
    await start('api')
    await start('project', { OVER_QUOTA_DELAY: '0' })
    const ended = await database.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'baoco (%' AND datname = current_database()`,
    )
    const pids = ended.map(({ pid }) => pid)
    await eventually(
      async () => (await database.query('SELECT FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])).length === 0,
    )
    await eventually(async () => (await differing())[0]?.setting === 'OVER_QUOTA_DELAY')
  })

  it('are shown by one connection, even if the database refuses the locks for a moment', async () => {
    let refusals = 0
    const refusing: Database = {
      ...database,
      connect: async () => {
        const client = await database.connect()
        const ask = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        const query = async (...given: unknown[]) => {
          if (JSON.stringify(given).includes('(name, value)') && refusals-- > 0) throw new Error('out of shared memory')
          return ask(...given)
        }
        return Object.assign(client, { query })
      },
    }
    const presence = await enter(refusing, 'api')
    present.push(presence)
    await presence.show(await settings())
    await start('project', { OVER_QUOTA_DELAY: '0' })
    refusals = 1
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'baoco (api)%' AND datname = current_database()`,
    )
    await eventually(async () => refusals < 0 && (await differing())[0]?.setting === 'OVER_QUOTA_DELAY')
    const names = (await presentProcesses(database)).map(({ name }) => name)
    expect(names).to.have.members(['baoco (api)', 'baoco (project)'])
  })

  it('include SMTP_URL without its password, and do not reveal the JWT secret to other roles of the cluster', async () => {
    const mail = (user: string) => ({ SMTP_URL: `smtps://${user}@mail.example`, BASE_URL: 'https://pay.example' })
    await start('api', mail('shop:one'))
    await start('project', mail('shop:two'))
    expect(await differing()).to.deep.equal([])
    const shown = await database.query<{ value: number }>(
      `SELECT objid::bigint::bit(32)::integer AS value FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2`,
    )
    const guessed = createHash('sha256').update(SECRET).digest().readInt32BE()
    expect(shown.map(({ value }) => value)).to.not.include(guessed)
    await start('deliver', { ...mail('shop:one'), SMTP_URL: 'smtps://shop:one@other.example' })
    expect((await differing()).map(({ setting }) => setting)).to.deep.equal(['SMTP_URL'])
  })

  it('are not compared with a process of a release that derives them in another way', async () => {
    await start('api')
    const client = await database.connect()
    try {
      const number = (text: string) => createHash('sha256').update(text).digest().readInt32BE()
      await client.query('SELECT pg_advisory_lock_shared($1, $2)', [number('setting JWT_SECRET'), number(SECRET)])
      expect(await differing()).to.deep.equal([])
    } finally {
      await client.end()
    }
  })

  it('are logged once, and again when they agree', async () => {
    await start('api')
    const other = await start('project', {}, 'k'.repeat(32))
    const lines: [string, object][] = []
    const note = (fields: object, what: string) => void lines.push([what, fields])
    const end = watchSettings({ database, names: SHARED_NAMES, log: { info: note, warn: note }, everyMs: 10 })
    await eventually(() => lines.length > 0)
    await other.leave()
    await eventually(() => lines.length > 1)
    await end()
    expect(lines.map(([what]) => what)).to.deep.equal(['settings.differ', 'settings.agree'])
    expect(lines[0]![1]).to.have.property('JWT_SECRET').with.lengthOf(2)
  })
})
