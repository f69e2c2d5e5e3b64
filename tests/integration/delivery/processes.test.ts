/** Several `baoco deliver` processes side by side, all alive. Only claims decide which process makes which call. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import { needsKafka } from '../../harness/kafka/needs-kafka.ts'
import type { RoleProcess } from '../../harness/role-processes.ts'
import { openSetUp } from '../../harness/servers.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { World } from '../../harness/world.ts'
import { openEndpoint, type Answered, type Endpoint } from '../../chaos/oracle/endpoint.ts'
import { Oracle } from '../../chaos/oracle/oracle.ts'

/** Notifications per second. */
const RATE = 30
/** The minimum number of calls that each process has made in the end. */
const OF_EACH = 10

const madeBy = ({ running }: RoleProcess): number => running.output().split('delivery.attempted').length - 1

const sideBySide = (setUpName: 'stock' | 'all', others: readonly ('project' | 'relay')[]): void => {
  needsStockPostgres()
  let world: World
  let endpoint: Endpoint | undefined
  before(async () => {
    world = await World.open({
      servers: () => openSetUp(setUpName),
      env: { RETRY_SCHEDULE: '1,1,1' },
      roles: ['api', 'deliver', 'deliver', 'deliver', ...others],
    })
  })
  after(async () => {
    await world?.close()
    await endpoint?.close()
  })

  it('make every first attempt and every retry, and none of them twice', async () => {
    const workers = world.of('deliver')
    // Every other first attempt fails. So there are first attempts, which the log hands out, and retries, which all workers look for.
    endpoint = await openEndpoint({
      name: 'shop',
      api: (method, path, body) => world.api(method, path, body),
      answer: async ({ number, attempt }, response): Promise<Answered> => {
        await pause(20)
        const isTaken = attempt > 1 || number % 2 === 0
        response.writeHead(isTaken ? 200 : 500).end()
        return isTaken ? 'taken' : 'refused'
      },
    })

    const oracle = new Oracle()
    const loading = new AbortController()
    const load = oracle.load(world.installation.personalUrl, RATE, loading.signal)
    await eventually(() => workers.every((worker) => madeBy(worker) >= OF_EACH), {
      within: 300_000,
      what: 'calls made by each of three processes',
    }).finally(() => loading.abort())
    await load
    await oracle.settled([endpoint], 120_000)
    const { lost, altered, duplicated } = await oracle.verdict([endpoint])
    expect({ lost, altered, duplicated }).to.deep.equal({ lost: 0, altered: 0, duplicated: 0 })
    expect(oracle.accepted).to.be.at.least(OF_EACH)
  })
}

describe('three delivery processes', function () {
  this.timeout(600_000)

  describe('on Postgres alone', () => sideBySide('stock', ['project']))

  describe('on EventStoreDB, Kafka and Postgres', () => {
    needsKafka()
    sideBySide('all', ['project', 'relay'])
  })
})
