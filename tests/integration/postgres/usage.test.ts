/** Tests how several processes together measure the usage of an account. */
import { expect } from 'chai'
import { openUsageCounters, sweepUsage } from '../../../adapters/postgres/ops/usage.ts'
import type { Database, Queryable } from '../../../adapters/database/database.ts'
import { openFreshDatabase } from '../../harness/postgres.ts'
import { succeeds } from '../../harness/outcomes.ts'

const LIMITS = { perHour: 10, polls: 6, parallel: 3 }

describe('usage counted over several processes', () => {
  let database: Database
  let close: () => Promise<void>
  let statements: number
  let isGone: boolean
  let counted: Queryable
  let now: number
  let user: string
  let users = 0
  before(async () => {
    ;({ database, close } = await openFreshDatabase())
  })
  after(() => close())
  beforeEach(() => {
    statements = 0
    isGone = false
    now = Date.now()
    user = `${++users}.0`
    counted = {
      query: (...given) => {
        statements++
        return isGone ? Promise.reject(new Error('connection refused')) : database.query(...given)
      },
    }
  })
  const process = () => openUsageCounters(counted, LIMITS, () => now)
  const call = (usage: ReturnType<typeof process>, signature = '') => {
    const verdict = usage.enter(user, signature)
    usage.leave(user)
    return verdict
  }

  it('costs no statement per call, and a few statements per second', async () => {
    const usage = process()
    for (let number = 0; number < 2_000; number++) {
      usage.enter(`${number % 50}.x`, '')
      usage.leave(`${number % 50}.x`)
    }
    expect(statements).to.equal(0)
    await usage.settle()
    expect(statements).to.be.within(1, 5)
    const before = statements
    now += 1_000
    await usage.settle()
    expect(statements, 'nothing new').to.equal(before)
  })

  it('adds up the requests per hour', async () => {
    const [one, other] = [process(), process()]
    for (let number = 0; number < 5; number++) {
      expect(call(one)).to.equal(null)
      expect(call(other)).to.equal(null)
    }
    await one.settle()
    await other.settle()
    expect(call(other)).to.equal('requests_per_hour')
    expect(call(one), 'whose report came before that of the other one').to.equal(null)
    await one.settle()
    expect(call(one)).to.equal('requests_per_hour')
    user = `${user}1`
    expect(call(one), 'after its lock was lifted').to.equal(null)
  })

  it('detects polling that is spread over the processes', async () => {
    const processes = [process(), process(), process()]
    const verdicts: unknown[] = []
    for (let poll = 0; poll < 7; poll++) {
      verdicts.push(call(processes[poll % 3]!, 'list'))
      for (const each of processes) await each.settle()
      now += 9_000
    }
    // A process that reports its poll receives the whole run, and applies it to the next poll that it receives.
    expect(verdicts.slice(0, 5)).to.deep.equal([null, null, null, null, null])
    for (let poll = 0; poll < 3; poll++) verdicts.push(call(processes[poll]!, 'list'))
    expect(verdicts).to.include('polling')
  })

  it('detects no polling in requests that differ, even if each process sees equal ones', async () => {
    const [one, other] = [process(), process()]
    for (let number = 0; number < 4; number++) {
      expect(call(one, 'list')).to.equal(null)
      await one.settle()
      now += 1_000
      expect(call(other, 'detail')).to.equal(null)
      await other.settle()
      now += 1_000
    }
  })

  it('adds up simultaneous requests, in five seconds of a minute', async () => {
    const [one, other] = [process(), process()]
    for (const each of [one, other]) for (let number = 0; number < 2; number++) each.enter(user, '')
    now = Math.floor(now / 1_000) * 1_000 + 500
    for (let second = 0; second < 7; second++) {
      for (const each of [one, other]) await each.settle()
      now += 1_000
    }
    expect(other.enter(user, '')).to.equal('parallel_requests')
  })

  it('relies on the counts of each process while Postgres is down, and reports them later', async () => {
    const usage = process()
    for (let number = 0; number < 6; number++) call(usage)
    isGone = true
    expect(await succeeds(usage.settle())).to.equal(false)
    for (let number = 0; number < 4; number++) expect(call(usage)).to.equal(null)
    isGone = false
    await usage.settle()
    const rows = await database.query<{ calls: number }>('SELECT calls FROM ops.conduct_calls WHERE who = $1', [user])
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).to.equal(10)
    expect(call(usage)).to.equal('requests_per_hour')
  })

  it('is swept when it is too old to lock any account', async () => {
    now = Date.now() - 2 * 3_600_000
    const usage = process()
    call(usage, 'list')
    await usage.settle()
    await sweepUsage(database).run(new AbortController().signal)
    for (const table of ['conduct_calls', 'conduct_run'])
      expect(await database.query(`SELECT 1 FROM ops.${table} WHERE who = $1`, [user]), table).to.deep.equal([])
  })
})
