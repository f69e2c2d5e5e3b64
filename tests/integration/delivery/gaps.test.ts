import { expect } from 'chai'
import { sweepGaps } from '../../../adapters/postgres/delivery-queue/gaps.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { Database } from '../../../adapters/database/database.ts'
import { deliveredSince, GAPS } from '../../../projections/delivery/gaps.ts'
import { openFreshDatabase } from '../../harness/postgres.ts'

const [ONE, TWO] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

describe('times in which no worker delivered', () => {
  let database: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ database, close } = await openFreshDatabase())
  })
  after(() => close())
  beforeEach(() => database.query('TRUNCATE ops.delivery_gap, ops.worker'))

  /** @param ago  seconds before now: begin and end */
  const gaps = async (...ago: [number, number][]) => {
    for (const [began, ended] of ago)
      await database.query(
        'INSERT INTO ops.delivery_gap VALUES (now() - make_interval(secs => $1), now() - make_interval(secs => $2))',
        [began, ended],
      )
  }
  /** The lengths of all gaps, in seconds. */
  const lengths = async () =>
    (
      await database.query<{ seconds: number }>(
        'SELECT round(extract(epoch FROM ended_at - began_at))::integer AS seconds FROM ops.delivery_gap ORDER BY began_at',
      )
    ).map(({ seconds }) => seconds)
  /** Seconds since the start of the last `worked` seconds of work. */
  const ago = async (worked: number) =>
    (
      await database.query<{ ago: number }>(
        `SELECT extract(epoch FROM now() - ${deliveredSince(worked)})::float8 AS ago`,
      )
    )[0]!.ago
  const lastBeat = (worker: string, secondsAgo: number) =>
    database.query('UPDATE ops.worker SET beaten_at = now() - make_interval(secs => $2) WHERE worker = $1', [
      worker,
      secondsAgo,
    ])

  it('do not count towards a schedule, and times between them do', async () => {
    expect(await ago(100)).to.equal(100)
    await gaps([50, 30], [400, 300])
    expect(await ago(20)).to.equal(20)
    expect(await ago(100)).to.be.closeTo(120, 1)
    expect(await ago(300)).to.be.closeTo(420, 1)
  })

  it('are deleted when no schedule begins before them, or if they end in the future', async () => {
    await gaps([400, 300], [200, 50], [10, -86_400])
    await sweepGaps(database, 100)
    expect(await lengths()).to.deep.equal([150])
  })

  it('are kept for 30 days if they are long: sources could not be seen then either', async () => {
    const day = 86_400
    await gaps([32 * day, 31 * day], [29 * day, 28 * day], [2 * day, 2 * day - 60])
    await sweepGaps(database, 100)
    expect(await lengths()).to.deep.equal([day])
    expect(await ago(100)).to.equal(100)
  })

  it('are recorded once, by the first heartbeat after them, and count even before it', async () => {
    const queue = openDeliveryQueue(database, database)
    for (const worker of [ONE, TWO]) await queue.beat(worker)
    await lastBeat(ONE, 3_600)
    expect(await ago(100)).to.equal(100)
    await lastBeat(TWO, 3_000)
    expect(await ago(100)).to.be.closeTo(3_100, 2)
    expect(await database.query(GAPS)).to.have.length(1)
    await queue.beat(ONE)
    await queue.beat(TWO)
    expect(await lengths()).to.have.length(1)
    expect(await ago(100)).to.be.closeTo(3_100, 2)
  })

  it('count in a statement that began just before the heartbeat that recorded them, and are not deleted by it', async () => {
    const queue = openDeliveryQueue(database, database)
    await queue.beat(ONE)
    await lastBeat(ONE, 3_600)
    const earlier = await database.connect()
    try {
      await earlier.query('BEGIN; SELECT now()')
      await queue.beat(ONE)
      const since = `SELECT extract(epoch FROM now() - ${deliveredSince(100)})::float8 AS ago`
      expect((await earlier.query<{ ago: number }>(since)).rows[0]!.ago).to.be.closeTo(3_700, 2)
      await sweepGaps({ query: async (sql) => (await earlier.query(sql)).rows as never }, 100)
      await earlier.query('COMMIT')
    } finally {
      await earlier.end()
    }
    expect(await lengths()).to.have.length(1)
  })

  it('do not include a short restart', async () => {
    const queue = openDeliveryQueue(database, database)
    await queue.beat(ONE)
    await lastBeat(ONE, 10)
    await queue.beat(TWO)
    expect(await lengths()).to.deep.equal([])
  })
})
