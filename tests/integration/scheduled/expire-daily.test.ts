/** A daily removal that the machine slept through is made up. */
import { expect } from 'chai'
import type { Database } from '../../../adapters/database/database.ts'
import { openRemovalMemory } from '../../../adapters/postgres/ops/last-scavenge.ts'
import { DAY_MS, HOUR_MS } from '../../../domain/time.ts'
import { expireDaily } from '../../../workflows/scheduled/expire-daily.ts'
import { openFreshDatabase } from '../../harness/postgres.ts'

const START = Date.UTC(2026, 2, 1)

describe('a daily removal', () => {
  let database: Database
  let close: () => Promise<void>
  let now: Date
  let removals: string[]
  let fails: boolean
  before(async () => ({ database, close } = await openFreshDatabase()))
  after(() => close())
  beforeEach(async () => {
    await database.query('TRUNCATE ops.scavenge')
    removals = []
    fails = false
  })

  const at = (days: number, hours = 0) => (now = new Date(START + days * DAY_MS + hours * HOUR_MS))
  const start = () => {
    const expire = async () => {
      removals.push(now.toISOString())
      if (fails) throw new Error('a node is away')
      return 0
    }
    const [daily, missed] = expireDaily(
      { store: { expire }, memory: openRemovalMemory(database), clock: { now: () => now } },
      '30 20 * * *',
    )
    const run = (job = missed!) => job.run(new AbortController().signal).catch(() => null)
    return { daily: () => run(daily!), look: () => run() }
  }
  /** A machine that is on for some hours of each day. @param hours  after its start, at which the job looks */
  const workday = async (day: number, hours = [0, 1, 2, 3]): Promise<void> => {
    const { look } = start()
    for (const hour of hours) {
      at(day, hour)
      await look()
    }
  }

  it('is made up in the second hour after a start if none began for two days', async () => {
    for (const day of [0, 1, 2, 3, 4]) await workday(day)
    expect(removals).to.deep.equal([at(2, 1), at(4, 1)].map((each) => each.toISOString()))
  })

  it('is not made up just after a suspension', async () => {
    await workday(0)
    await workday(5, [0])
    const { look } = start()
    for (const [day, hour] of [[6, 0], [8, 0], [8, 1]] as const) {
      at(day, hour)
      await look()
    }
    expect(removals).to.deep.equal([now.toISOString()])
  }) // prettier-ignore

  it('is not made up if it began at its time, even if it failed', async () => {
    fails = true
    const { daily, look } = start()
    for (let hour = 0; hour < 24 * 5; hour++) {
      at(0, hour)
      if (hour % 24 === 20) await daily()
      await look()
    }
    expect(removals).to.have.length(5)
  })

  it('counts from the present after a clock was ahead', async () => {
    await openRemovalMemory(database).begins(at(400))
    for (const day of [0, 1, 2]) await workday(day)
    expect(removals).to.deep.equal([at(2, 1).toISOString()])
  })
})
