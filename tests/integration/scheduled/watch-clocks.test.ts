/** The clock of a process that differs from the database's is logged, listed and, if it differs much, an alert of the operator. */
import { expect } from 'chai'
import { aheadOfDatabase, differingClocks, watchClock } from '../../../adapters/postgres/ops/process-clocks.ts'
import { lastingSubjects } from '../../../projections/alert/queries.ts'
import { watchClocks } from '../../../workflows/scheduled/watch-clocks.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { shownAlerts } from '../http/shown-alerts.ts'

describe('the watch on clocks', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi()
  })
  after(() => api.close())
  beforeEach(() => api.database.query('TRUNCATE ops.process_clock'))

  /** Milliseconds by which the clock of the process is ahead. */
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const watched = (lines: string[]) => {
    const log = {
      info: (_: object, what: string) => void lines.push(what),
      warn: (_: object, what: string) => void lines.push(what),
    }
    return watchClock({
      database: api.database,
      clock,
      process: 'deliver, process 7 on m',
      machine: 'm',
      log,
      everyMs: 10,
    })
  }
  const listed = async () => (await differingClocks(api.database)).map(({ process }) => process)

  it('does not count the time until the database answers', async () => {
    const slow = {
      query: async <Row extends object>(text: string) => {
        await api.database.query('SELECT pg_sleep(0.1)')
        const rows = await api.database.query<Row>(text)
        await api.database.query('SELECT pg_sleep(0.1)')
        return rows
      },
    }
    shift = 0
    expect(await aheadOfDatabase(slow, clock)).to.equal(0)
  })

  it('reports once that a clock differs, lists its process while it does, and reports that it agrees again', async () => {
    const lines: string[] = []
    shift = -30_000
    const watch = watched(lines)
    // A comparison is only as exact as the answer of the database is quick.
    await eventually(async () =>
      expect(await differingClocks(api.database))
        .to.have.nested.property('[0].ahead_ms')
        .that.is.closeTo(-30_000, 1_000),
    )
    await eventually(() => expect(watch.ahead()).to.be.closeTo(-30_000, 1_000))
    const { body } = await api.ask('GET', '/api/operator/status', { key: api.owner.api_key })
    expect(body.data.clocks).to.have.nested.property('[0].process', 'deliver, process 7 on m')
    shift = 0
    await eventually(async () => (await listed()).length === 0)
    await eventually(() => lines.length === 2)
    expect(lines).to.deep.equal(['clock.differs', 'clock.agrees'])
    await watch.close()
  })

  it('lists no process that has ended, or that wrote while the clock of the database was ahead', async () => {
    shift = 30_000
    const watch = watched([])
    await eventually(async () => (await listed()).length === 1)
    await watch.close()
    expect(await listed()).to.deep.equal([])
    await api.database.query(
      `INSERT INTO ops.process_clock SELECT process, 'm', 5000, now() + later::interval
       FROM (VALUES ('killed', '-4 minutes'), ('before', '1 day')) AS row (process, later)`,
    )
    expect(await listed()).to.deep.equal([])
  })

  it('does not keep a process from stopping while the database does not answer', async () => {
    const silent = { query: () => new Promise<never>(() => {}) }
    const log = { info: () => {}, warn: () => {} }
    const watch = watchClock({ database: { within: () => silent }, clock, process: 'p', machine: 'm', log })
    const started = performance.now()
    await watch.close()
    expect(performance.now() - started).to.be.below(5_000)
  })

  it('raises an alert for a machine that differs by a minute, and ends it when its clock agrees', async () => {
    const { database } = api
    const job = watchClocks({
      differing: () => differingClocks(database),
      lasting: (userId) => lastingSubjects(database, userId, 'clock_differs'),
      operator: () => Promise.resolve(api.owner.user_id),
      alerts: shownAlerts(api),
      clock: { now: () => new Date() },
    })
    const look = () => job.run(new AbortController().signal)
    const differ = (machine: string, ms: number) =>
      database.query('INSERT INTO ops.process_clock VALUES ($1, $2, $3)', [`api on ${machine}`, machine, ms])
    await differ('far', 90_000)
    await differ('near', 30_000)
    await differ('behind', -90_000)
    expect(await look()).to.deep.equal({ raised: 2, ended: 0 })
    expect(await look(), 'it lasts').to.equal(null)
    const { body } = await api.ask('GET', '/api/alerts', { key: api.owner.api_key })
    const alerts = (body.data as { kind: string; subject: string; text: string }[]).filter(
      ({ kind }) => kind === 'clock_differs',
    )
    expect(alerts.map(({ subject }) => subject)).to.have.members(['clock:far', 'clock:behind'])
    expect(alerts.find(({ subject }) => subject === 'clock:far')!.text).to.match(/far .*90/)
    await database.query('TRUNCATE ops.process_clock')
    expect(await look()).to.deep.equal({ raised: 0, ended: 2 })
  })
})
