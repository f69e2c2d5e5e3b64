/** Tests counters that processes share, and how they count while Postgres is down. */
import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import type { ApiContext } from '../../../adapters/http/context.ts'
import { spend, type Used } from '../../../adapters/http/middleware/rate-limits.ts'
import type { Database, Queryable } from '../../../adapters/database/database.ts'
import { exactCounters } from '../../../adapters/rate-limits/exact-counters.ts'
import { settledCounters } from '../../../adapters/rate-limits/settled-counters.ts'
import { sweepRateLimits } from '../../../adapters/rate-limits/shared-windows.ts'
import { eventually } from '../../harness/eventually.ts'
import { openFreshDatabase } from '../../harness/postgres.ts'
import { succeeds } from '../../harness/outcomes.ts'

const LIMIT = { requests: 5, seconds: 600 }

describe('counters of rate limits', () => {
  let database: Database
  let close: () => Promise<void>
  /** The number of statements sent to the database. */
  let statements: number
  let state: 'there' | 'gone' | 'silent'
  let counted: Queryable
  before(async () => {
    ;({ database, close } = await openFreshDatabase())
  })
  after(() => close())
  beforeEach(async () => {
    await database.query('DELETE FROM ops.rate_limit')
    statements = 0
    state = 'there'
    counted = {
      query: (...given) => {
        statements++
        if (state === 'gone') return Promise.reject(new Error('connection refused'))
        return state === 'silent' ? new Promise(() => {}) : database.query(...given)
      },
    }
  })
  const times = async (count: number, call: () => Used | Promise<Used>): Promise<Used> => {
    let used: Used | undefined
    for (let number = 0; number < count; number++) used = await call()
    return used!
  }

  it('subtract calls that turned out not to count, also several points at once', async () => {
    const { counterFor } = settledCounters(counted)
    for (const count of [exactCounters(counted)('bank', LIMIT), counterFor('bank', LIMIT)]) {
      await count('9.9.9.9', 4)
      await count.undo('9.9.9.9', 3)
      await count.undo('9.9.9.9')
      expect((await count('9.9.9.9', 5)).calls).to.equal(5)
    }
  })

  it('subtract nothing from the next window', async () => {
    const count = exactCounters(counted)('bank', LIMIT)
    await count('9.9.9.9', 3)
    await database.query('UPDATE ops.rate_limit SET expire = expire - 600000')
    await count.undo('9.9.9.9', 3)
    expect((await count('9.9.9.9')).calls).to.equal(1)
  })

  it('subtract nothing from the next window, if the window was removed meanwhile', async () => {
    let now = 1_000_000
    const { counterFor, settle } = settledCounters(counted, () => now)
    const [exact, settled] = [exactCounters(counted)('bank', LIMIT), counterFor('bank', LIMIT)]
    for (const count of [exact, settled]) {
      await count('9.9.9.9', 3)
      await database.query('DELETE FROM ops.rate_limit')
      now += 600_000
      await count.undo('9.9.9.9', 3)
      expect((await count('9.9.9.9')).calls).to.equal(1)
    }
    await settle()
    await database.query('DELETE FROM ops.rate_limit')
    await settled.undo('9.9.9.9')
    await settle()
    expect((await settled('9.9.9.9')).calls).to.equal(1)
  })

  describe('after a clock was seven hours ahead', () => {
    const AHEAD_MS = 7 * 3_600_000
    const realNow = Date.now
    afterEach(() => void (Date.now = realNow))
    const kinds = {
      exact: () => ({ count: exactCounters(counted)('receive', LIMIT), settle: async () => {} }),
      settled: () => {
        const { counterFor, settle } = settledCounters(counted)
        return { count: counterFor('receive', LIMIT), settle }
      },
    }
    for (const [kind, open] of Object.entries(kinds)) {
      it(`no caller waits for the end of a window that lies seven hours ahead: ${kind}, clock of the process`, async () => {
        Date.now = () => realNow() + AHEAD_MS
        const same = open()
        await times(2, () => same.count('9.9.9.9'))
        await same.settle()
        Date.now = realNow
        const restarted = open()
        for (const { count, settle } of [same, restarted]) {
          await count('9.9.9.9')
          await settle()
          expect((await count('9.9.9.9')).endsInMs).to.be.within(500_000, 600_000)
        }
      })

      it(`no caller waits for the end of a window that lies seven hours ahead: ${kind}, clock of the database`, async () => {
        const before = open()
        await times(4, () => before.count('9.9.9.9'))
        await before.settle()
        await database.query('UPDATE ops.rate_limit SET expire = expire + $1', [AHEAD_MS])
        const { count, settle } = open()
        await count('9.9.9.9')
        await settle()
        const { calls, endsInMs } = await count('9.9.9.9')
        expect(calls).to.equal(2)
        expect(endsInMs).to.be.within(500_000, 600_000)
      })
    }
  })

  describe('that are exact', () => {
    it('are shared by all processes', async () => {
      const processes = [1, 2, 3].map(() => exactCounters(counted)('login', LIMIT))
      const used = await Promise.all(Array.from({ length: 9 }, async (_, number) => processes[number % 3]!('9.9.9.9')))
      expect(used.filter(({ calls }) => calls <= LIMIT.requests)).to.have.length(5)
      expect(new Set(used.filter(({ calls }) => calls <= 5).map(({ calls }) => calls)).size).to.equal(5)
      for (const { endsInMs } of used) expect(endsInMs).to.be.within(500_000, 600_000)
      expect((await processes[0]!('8.8.8.8')).calls).to.equal(1)
      expect((await exactCounters(counted)('forgot', LIMIT)('9.9.9.9')).calls, 'of another limit').to.equal(1)
    })

    it('never last longer than their window, even if another process began it during the statement', async () => {
      await database.transaction(async (transaction) => {
        await transaction.query('SELECT')
        await exactCounters(database)('login', LIMIT)('9.9.9.9')
        expect((await exactCounters(transaction)('login', LIMIT)('9.9.9.9')).endsInMs).to.be.at.most(600_000)
      })
    })

    it('send no statements for a caller that is over the limit', async () => {
      const count = exactCounters(counted)('login', LIMIT)
      await times(6, () => count('9.9.9.9') as Promise<Used>)
      expect(statements).to.equal(6)
      expect((await times(100, () => count('9.9.9.9'))).calls).to.be.greaterThan(LIMIT.requests)
      expect(statements).to.equal(6)
      await count.undo('9.9.9.9', 5)
      expect((await count('9.9.9.9')).calls).to.equal(2)
    })

    it('start again in the next window', async () => {
      const count = exactCounters(counted)('login', { requests: 5, seconds: 600 })
      await times(4, () => count('9.9.9.9'))
      await database.query('UPDATE ops.rate_limit SET expire = expire - 600000')
      expect((await count('9.9.9.9')).calls).to.equal(1)
    })

    it('continue from the last known counts while Postgres is down or slow, and afterwards', async () => {
      for (const away of ['gone', 'silent'] as const) {
        state = 'there'
        const count = exactCounters(counted)('login', LIMIT)
        const caller = `caller ${away}`
        expect((await times(3, () => count(caller))).calls).to.equal(3)
        state = away
        const used = await Promise.all(Array.from({ length: 3 }, async () => count(caller)))
        expect(used.map(({ calls }) => calls).toSorted(), away).to.deep.equal([4, 5, 6])
        for (const { endsInMs } of used) expect(endsInMs).to.be.within(500_000, 600_000)
        state = 'there'
        expect((await count(caller)).calls, away).to.be.greaterThan(LIMIT.requests)
      }
    })

    it('include the calls that Postgres has missed, when it is back', async () => {
      const count = exactCounters(counted)('login', LIMIT)
      await times(2, () => count('9.9.9.9'))
      state = 'gone'
      await times(2, () => count('9.9.9.9'))
      state = 'there'
      expect((await count('9.9.9.9')).calls).to.equal(5)
      await database.query('UPDATE ops.rate_limit SET expire = expire - 300000')
      expect((await count('9.9.9.9')).calls).to.equal(6)
      // Those of the next window do not include them.
      await count.undo('9.9.9.9')
      await database.query('UPDATE ops.rate_limit SET expire = expire - 300000')
      expect((await count('9.9.9.9')).calls).to.equal(1)
    })

    it('end with their window, even in a process that joined it late', async () => {
      await times(6, () => exactCounters(counted)('login', LIMIT)('9.9.9.9'))
      await database.query('UPDATE ops.rate_limit SET expire = expire - 590000')
      const late = exactCounters(counted)('login', LIMIT)
      expect((await late('9.9.9.9')).calls).to.equal(7)
      await database.query('UPDATE ops.rate_limit SET expire = expire - 10000')
      const { now } = performance
      try {
        performance.now = () => now.call(performance) + 10_000
        expect((await late('9.9.9.9')).calls).to.equal(1)
      } finally {
        performance.now = now
      }
    })

    it('count in each process alone while Postgres is down or does not answer', async () => {
      for (const away of ['gone', 'silent'] as const) {
        state = away
        const [one, other] = [exactCounters(counted)('login', LIMIT), exactCounters(counted)('login', LIMIT)]
        const used = await Promise.all(Array.from({ length: 6 }, async () => one('9.9.9.9')))
        // Calls at the same time may be counted in any order.
        expect(used.map(({ calls }) => calls).sort(), away).to.deep.equal([1, 2, 3, 4, 5, 6])
        expect((await other('9.9.9.9')).calls, away).to.equal(1)
      }
    })
  })

  describe('for the hot path', () => {
    it('are exact within one process without a statement to the database', () => {
      const count = settledCounters(counted).counterFor('receive', LIMIT)
      const calls = Array.from({ length: 7 }, () => count('9.9.9.9') as Used).map(({ calls }) => calls)
      expect(calls).to.deep.equal([1, 2, 3, 4, 5, 6, 6])
      expect(statements).to.equal(0)
    })

    it('are settled with one statement, whatever the number of calls and callers', async () => {
      const { counterFor, settle } = settledCounters(counted)
      const count = counterFor('receive', { requests: 1_000, seconds: 60 })
      for (let number = 0; number < 3_000; number++) void count(`10.0.0.${number % 100}`)
      await settle()
      expect(statements).to.equal(1)
      await settle()
      expect(statements, 'nothing is pending').to.equal(1)
      const rows = await database.query<{ points: number }>('SELECT points FROM ops.rate_limit')
      expect(rows.map(({ points }) => points)).to.deep.equal(Array.from({ length: 100 }, () => 30))
    })

    it('are shared by all processes once settled', async () => {
      const processes = [settledCounters(counted), settledCounters(counted)]
      const counts = processes.map(({ counterFor }) => counterFor('receive', LIMIT))
      await times(3, () => counts[0]!('9.9.9.9'))
      await times(2, () => counts[1]!('9.9.9.9'))
      await Promise.all(processes.map(({ settle }) => settle()))
      // The process that settled first receives the other's count at the latest when its own next call is settled.
      await times(1, () => counts[0]!('9.9.9.9'))
      await processes[0]!.settle()
      expect((await counts[0]!('9.9.9.9')).calls).to.equal(6)
      await times(1, () => counts[1]!('9.9.9.9'))
      await processes[1]!.settle()
      expect((await counts[1]!('9.9.9.9')).calls).to.be.greaterThan(LIMIT.requests)
    })

    it('let through at worst the limit in each process', async () => {
      const processes = [1, 2, 3].map(() => settledCounters(counted).counterFor('receive', LIMIT))
      const used = await Promise.all(
        processes.flatMap((count) => Array.from({ length: 20 }, () => Promise.resolve(count('9.9.9.9')))),
      )
      expect(used.filter(({ calls }) => calls <= LIMIT.requests)).to.have.length(3 * LIMIT.requests)
    })

    it('keep calls that are counted during a settlement', async () => {
      const { counterFor, settle } = settledCounters(counted)
      const count = counterFor('receive', LIMIT)
      await times(2, () => count('9.9.9.9'))
      const settling = settle()
      await times(2, () => count('9.9.9.9'))
      await settling
      expect((await count('9.9.9.9')).calls).to.equal(5)
    })

    it('name no second more than the window has, whatever the fraction of the clock', () => {
      let now = 0
      const count = settledCounters(counted, () => now).counterFor('receive', { requests: 5, seconds: 60 })
      const resets = new Set<string>()
      const context = {
        set: (name: string, value: string) => void (name === 'RateLimit-Reset' && resets.add(value)),
      } as unknown as ApiContext
      for (let number = 0; number < 1_000; number++) {
        now = 20_000 + number * 0.0123
        spend(context, { requests: 5 }, count(`${number}`) as Used)
      }
      expect([...resets]).to.deep.equal(['60'])
    })

    it('are settled every second until the end, and accumulate no listeners', async () => {
      const { counterFor, run } = settledCounters(counted)
      const stopping = new AbortController()
      const running = run(stopping.signal)
      const count = counterFor('receive', LIMIT)
      for (let settled = 1; settled <= 3; settled++) {
        await times(1, () => count(`10.0.0.${settled}`))
        await eventually(() => statements === settled)
      }
      state = 'gone'
      await times(1, () => count('10.0.0.4'))
      await eventually(() => statements === 4)
      state = 'there'
      await eventually(async () => (await database.query('SELECT FROM ops.rate_limit')).length === 4)
      expect(getEventListeners(stopping.signal, 'abort').length).to.be.at.most(1)
      stopping.abort()
      await running
    })

    it('continue alone while Postgres is down, and settle when it is up again', async () => {
      const { counterFor, settle } = settledCounters(counted)
      const count = counterFor('receive', LIMIT)
      await times(4, () => count('9.9.9.9'))
      state = 'gone'
      expect(await succeeds(settle())).to.equal(false)
      expect((await times(2, () => count('9.9.9.9'))).calls).to.equal(6)
      state = 'there'
      await settle()
      const [row] = await database.query<{ points: number }>('SELECT points FROM ops.rate_limit')
      expect(row!.points).to.equal(6)
    })

    it('end with their window, even in a process that joined it late', async () => {
      let now = 1_000_000
      const [early, late] = [settledCounters(counted, () => now), settledCounters(counted, () => now)]
      await times(6, () => early.counterFor('receive', LIMIT)('9.9.9.9'))
      await early.settle()
      await database.query('UPDATE ops.rate_limit SET expire = expire - 590000')
      const count = late.counterFor('receive', LIMIT)
      await count('9.9.9.9')
      await late.settle()
      expect((await count('9.9.9.9')).calls).to.equal(7)
      now += 10_000
      expect((await count('9.9.9.9')).calls).to.equal(1)
    })

    it('of a past window are not settled', async () => {
      let now = 1_000_000
      const { counterFor, settle } = settledCounters(counted, () => now)
      await counterFor('receive', { requests: 5, seconds: 60 })('9.9.9.9')
      now += 60_000
      await settle()
      expect(statements).to.equal(0)
    })

    it('start again in the next window, and remove expired windows', async () => {
      let now = 1_000_000
      const { counterFor, settle } = settledCounters(counted, () => now)
      const count = counterFor('receive', { requests: 5, seconds: 60 })
      expect(await times(6, () => count('9.9.9.9'))).to.deep.equal({ calls: 6, endsInMs: 60_000 })
      await settle()
      // The database subtracts the time that its own statement took.
      const { endsInMs } = await count('9.9.9.9')
      expect(endsInMs).to.be.within(50_000, 60_000)
      now += endsInMs - 1
      expect((await count('9.9.9.9')).calls).to.equal(6)
      now += 1
      await database.query('UPDATE ops.rate_limit SET expire = expire - 60000')
      expect(await count('9.9.9.9')).to.deep.equal({ calls: 1, endsInMs: 60_000 })
      await settle()
      const rows = await database.query<{ points: number }>('SELECT points FROM ops.rate_limit')
      expect(rows).to.deep.equal([{ points: 1 }])
      await database.query('UPDATE ops.rate_limit SET expire = expire - 60001')
      const sweep = sweepRateLimits(database)
      expect(await sweep.run(new AbortController().signal)).to.deep.equal({ swept: 1 })
      expect(await sweep.run(new AbortController().signal)).to.equal(null)
    })
  })
})
