/**
 * Postgres is lost and an empty one takes its place, while the events are intact in EventStoreDB. The read models and the queue are built
 * from the events again. Nothing that was delivered before is sent again, although the claims and the offsets of the log are gone too.
 */
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { eventually } from '../harness/eventually.ts'
import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { emptyDatabase } from '../harness/postgres.ts'
import { showFigures } from '../harness/figures.ts'
import { repetitions } from '../harness/repetitions.ts'
import { openSetUp } from '../harness/servers.ts'
import { World } from '../harness/world.ts'
import { openEndpoint, type Endpoint } from './oracle/endpoint.ts'
import { Oracle } from './oracle/oracle.ts'

/** So many that the read models are built in several batches. */
const DELIVERED = repetitions(10_000, 300)
const AFTERWARDS = 20
const SENDERS = 32

const post = async (oracle: Oracle, url: string, count: number): Promise<void> => {
  let left = count
  const send = async (): Promise<void> => {
    while (left-- > 0) expect(await oracle.post(url)).to.equal(true)
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
}

const losesPostgres = async (setUp: 'eventstoredb' | 'both'): Promise<void> => {
  const databases = [await emptyDatabase(), await emptyDatabase()]
  const [lost, empty] = databases.map(({ url }) => url) as [string, string]
  const world = await World.open({
    servers: async () => {
      const { env, close } = await openSetUp(setUp)
      return { env: { ...env, DATABASE_URL: lost }, close }
    },
  })
  let endpoint: Endpoint | undefined
  const database = openDatabase(empty, { poolSize: 1 })
  try {
    const api: World['api'] = (...call) => world.api(...call)
    endpoint = await openEndpoint({
      name: 'the shop',
      api,
      answer: (_call, response) => {
        response.writeHead(200).end()
        return 'taken'
      },
    })
    const before = new Oracle()
    await post(before, world.installation.personalUrl, DELIVERED)
    await before.settled([endpoint], 120_000)
    await world.baoco.stop()

    world.env.DATABASE_URL = empty
    await world.start()
    const after = new Oracle(1_000_001)
    await post(after, world.installation.personalUrl, AFTERWARDS)
    await after.settled([endpoint], 120_000)
    const open = async () =>
      (
        await database.query<{ open: number }>(
          `SELECT count(*)::integer AS open FROM read_model.delivery WHERE status = 'open'`,
        )
      )[0]!.open
    await eventually(async () => (await open()) === 0, { within: 60_000, what: 'a queue without open deliveries' })
    const { accepted, lost: missing, altered, duplicated } = await before.verdict([endpoint])
    expect({ accepted, missing, altered, duplicated }).to.deep.equal({
      accepted: DELIVERED,
      missing: 0,
      altered: 0,
      duplicated: 0,
    })
    expect(await after.verdict([endpoint])).to.include({ accepted: AFTERWARDS, lost: 0, duplicated: 0 })
    showFigures(
      `Postgres lost, events in EventStoreDB${setUp === 'both' ? ', with Kafka' : ''}`,
      `of ${accepted} delivered before, 0 sent again; of ${AFTERWARDS} afterwards, 0 lost`,
    )
  } finally {
    await database.close()
    await world.close()
    await endpoint?.close()
    for (const { drop } of databases) await drop()
  }
}

describe('Postgres that is lost, with the events in EventStoreDB', function () {
  this.timeout(1_200_000)

  it(`sends nothing of ${DELIVERED} delivered notifications again`, () => losesPostgres('eventstoredb'))

  describe('and Kafka', () => {
    needsKafka()
    it(`sends nothing of ${DELIVERED} delivered notifications again`, () => losesPostgres('both'))
  })
})
