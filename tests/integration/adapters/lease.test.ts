import { expect } from 'chai'
import { openDatabase, type Database, type Queryable } from '../../../adapters/database/database.ts'
import { openLease } from '../../../adapters/database/lease.ts'
import { openLeases } from '../../../adapters/database/leases.ts'
import { openRelayCheckpoint } from '../../../adapters/postgres/ops/relay-checkpoint.ts'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

describe('coordination of processes through Postgres', () => {
  let test: TestDatabase
  let database: Database
  before(async () => {
    test = await freshDatabase()
    database = openDatabase(test.url)
  })
  after(async () => {
    await database?.close()
    await test?.drop()
  })

  describe('a lease', () => {
    let names = 0
    const stops = new Set<() => Promise<void>>()
    let holding: number
    /** The highest number of holders at any moment. Two holders would do the same work. */
    let mostAtOnce: number
    beforeEach(() => {
      names++
      holding = 0
      mostAtOnce = 0
    })
    afterEach(() => Promise.all([...stops].map((stop) => stop())))

    /** Starts one candidate for the lease. */
    const wanting = ({ lasts = 600, over = database as Queryable, work = until } = {}) => {
      const stopping = new AbortController()
      const state = { holds: false, times: 0, troubles: [] as unknown[] }
      const lease = openLease({
        database: over,
        name: `thing ${names}`,
        lasts,
        lookEvery: lasts / 6,
        onFailure: (error) => state.troubles.push(error),
      })
      const ended = lease.hold(async (held) => {
        state.holds = true
        state.times++
        mostAtOnce = Math.max(mostAtOnce, ++holding)
        await work(held).finally(() => {
          state.holds = false
          holding--
        })
      }, stopping.signal)
      const stop = async (): Promise<void> => {
        stops.delete(stop)
        stopping.abort()
        await ended
      }
      stops.add(stop)
      return { state, stop }
    }

    it('has one holder among many candidates, which keeps it far beyond its duration', async () => {
      let times = Infinity
      // A machine that stands still for most of the duration ends a lease. The repetitions give it time to recover.
      for (let lasts = 1_500; lasts <= 12_000 && times > 1; lasts *= 2) {
        const all = Array.from({ length: 8 }, () => wanting({ lasts }))
        await eventually(() => all.some(({ state }) => state.holds))
        const began = performance.now()
        await eventually(() => performance.now() - began > 2.5 * lasts)
        expect(mostAtOnce).to.equal(1)
        times = all.reduce((sum, { state }) => sum + state.times, 0)
        await Promise.all(all.map(({ stop }) => stop()))
      }
      expect(times).to.equal(1)
    })

    it('is free at once when its holder stops', async () => {
      const untilNextHolds = async (): Promise<number> => {
        const first = wanting({ lasts: 60_000 })
        await eventually(() => first.state.holds)
        const next = wanting({ lasts: 600 })
        await first.stop()
        const took = await timeOf(() => eventually(() => next.state.holds))
        await next.stop()
        return took
      }
      expect(await bestTime(2_000, untilNextHolds)).to.be.below(2_000)
    })

    it('is given up by a holder without answers from the database, before another acquires it', async () => {
      let isAway = false
      const never = new Promise<never>(() => {})
      const cutOff: Queryable = { query: (...args) => (isAway ? never : database.query(...args)) }
      const first = wanting({ over: cutOff })
      await eventually(() => first.state.holds)
      const next = wanting()
      isAway = true
      await eventually(() => next.state.holds)
      expect(first.state.holds).to.equal(false)
      expect(mostAtOnce).to.equal(1)
      isAway = false
    })

    it('is renewed together with the other leases of the process', async () => {
      const renewed: string[][] = []
      let taken = 0
      let bothTaken = (): void => {}
      const both = new Promise<void>((resolve) => (bothTaken = resolve))
      const counting: Queryable = {
        query: async (text, values = [], name) => {
          if (text.includes('unnest')) renewed.push(values[0] as string[])
          const rows = await database.query(text, values, name)
          if (!text.startsWith('\nINSERT')) return rows as never
          // The process learns of both at the same moment, however late one of the answers is.
          if (++taken === 2) bothTaken()
          await both
          return rows as never
        },
      }
      const [one, other] = [
        wanting({ over: counting, lasts: 6_000 }),
        (names++, wanting({ over: counting, lasts: 6_000 })),
      ]
      await eventually(() => one.state.holds && other.state.holds)
      await eventually(() => renewed.length >= 3)
      for (const together of renewed) expect(together).to.have.length(2)
      expect([one.state.times, other.state.times]).to.deep.equal([1, 1])
    })

    it('is given up by a holder whose row another holder has taken', async () => {
      const first = wanting()
      await eventually(() => first.state.holds)
      await database.query('UPDATE ops.lease SET holder = gen_random_uuid(), expires_at = now() + $2 WHERE name = $1', [
        `thing ${names}`,
        '1 second',
      ])
      await eventually(() => !first.state.holds)
      // When it stops, it does not release the lease of the other holder.
      await first.stop()
      expect(await database.query('SELECT 1 FROM ops.lease WHERE name = $1', [`thing ${names}`])).to.have.length(1)
    })

    it('is acquired although it was taken while the clock of the database was an hour ahead, and one holder remains', async () => {
      await database.query(
        "INSERT INTO ops.lease (name, holder, expires_at) VALUES ($1, gen_random_uuid(), now() + interval '1 hour')",
        [`thing ${names}`],
      )
      const [one, two] = [wanting(), wanting()]
      await eventually(() => one.state.holds || two.state.holds)
      expect(mostAtOnce).to.equal(1)
    })

    it('is acquired in the same way among many leases', async () => {
      const mailbox = `mailbox ${names}`
      await database.query(
        "INSERT INTO ops.lease (name, holder, expires_at) VALUES ($1, gen_random_uuid(), now() + interval '1 hour')",
        [mailbox],
      )
      const [mine, others] = [openLeases(database), openLeases(database)]
      expect([...(await mine.keep([mailbox]))]).to.deep.equal([mailbox])
      expect([...(await others.keep([mailbox]))], 'by another process').to.deep.equal([])
      await others.release([mailbox])
      expect([...(await others.keep([mailbox]))], 'after it released what it does not hold').to.deep.equal([])
      expect([...(await mine.keep([mailbox]))], 'again').to.deep.equal([mailbox])
      await mine.release([mailbox])
      expect([...(await others.keep([mailbox]))]).to.deep.equal([mailbox])
    })

    it('restarts work that failed or ended, and reports the error', async () => {
      const failing = wanting({ work: () => Promise.reject(new Error('no such thing')) })
      await eventually(() => failing.state.times >= 3)
      await failing.stop()
      expect(failing.state.troubles.map((error) => (error as Error).message)).to.include('no such thing')
      const ending = wanting({ work: () => Promise.resolve() })
      await eventually(() => ending.state.times >= 3)
    })

    it('is acquired once the database is available again', async () => {
      let isAway = true
      const gone: Queryable = {
        query: (...args) => (isAway ? Promise.reject(new Error('away')) : database.query(...args)),
      }
      const one = wanting({ over: gone })
      await eventually(() => one.state.troubles.length >= 2)
      isAway = false
      await eventually(() => one.state.holds)
    })
  })

  describe("the relay's checkpoint", () => {
    const positionOf = (n: number) => ({
      checkpoint: String(n),
      event_id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      stream: `transaction-${n}`,
      revision: n,
    })

    it('advances only if the caller passes its current position', async () => {
      const [one, two] = [openRelayCheckpoint(database, 'a'), openRelayCheckpoint(database, 'a')]
      expect(await one.load()).to.equal(null)
      expect(await one.advance(null, positionOf(5))).to.equal(true)
      expect(await one.load()).to.deep.equal(positionOf(5))
      expect(await two.advance(null, positionOf(3))).to.equal(false)
      expect(await two.advance(positionOf(5), positionOf(9))).to.equal(true)
      expect(await one.advance(positionOf(5), positionOf(8))).to.equal(false)
      expect(await one.load()).to.deep.equal(positionOf(9))
    })

    it('accepts a move that is repeated because its answer was lost', async () => {
      const relay = openRelayCheckpoint(database, 'b')
      for (let tries = 0; tries < 2; tries++) expect(await relay.advance(null, positionOf(1))).to.equal(true)
      for (let tries = 0; tries < 2; tries++) expect(await relay.advance(positionOf(1), positionOf(2))).to.equal(true)
    })

    it('is separate for each topic', async () => {
      await openRelayCheckpoint(database, 'c').advance(null, positionOf(1))
      expect(await openRelayCheckpoint(database, 'd').load()).to.equal(null)
    })

    it('is moved by only one of two concurrent callers', async () => {
      const moves = await Promise.all(
        [6, 7].map((n) => openRelayCheckpoint(database, 'e').advance(null, positionOf(n))),
      )
      expect(moves.filter(Boolean)).to.have.length(1)
    })
  })
})
