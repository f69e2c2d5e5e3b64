/** Several `baoco deliver` processes side by side, all alive. Only claims decide which process makes which call. */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openShops, type ShopAccount } from '../../../bench/support/shops.ts'
import { callApi } from '../../harness/baoco-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { longestControl } from '../../harness/longest-control.ts'
import { needsKafka } from '../../harness/kafka/needs-kafka.ts'
import type { RoleProcess } from '../../harness/role-processes.ts'
import { openSetUp } from '../../harness/servers.ts'
import { hang, openShop, type ReceivedCall } from '../../harness/shop.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { World } from '../../harness/world.ts'
import { openEndpoint, type Answered, type Endpoint, type SeenCall } from '../../chaos/oracle/endpoint.ts'
import { Oracle } from '../../chaos/oracle/oracle.ts'

/** A topic gives all first attempts of an account to one process, so one account would keep only one of them busy. */
const ACCOUNTS = 6
/** Notifications per second of each account. */
const RATE = 2
/** The minimum number of calls that each process has made in the end. */
const OF_EACH = 10

const madeBy = ({ running }: RoleProcess): number => running.output().split('delivery.attempted').length - 1

/** More payments than the processes can have in flight together at one endpoint: 64 each. */
const MORE_THAN_SLOTS = 160

/** Every other first attempt fails. So there are first attempts, which come from the log, and retries, which all workers look for. */
const answerHalf = async ({ number, attempt }: SeenCall, response: ServerResponse): Promise<Answered> => {
  await pause(20)
  const isTaken = attempt > 1 || number % 2 === 0
  response.writeHead(isTaken ? 200 : 500).end()
  return isTaken ? 'taken' : 'refused'
}

const sideBySide = (setUpName: 'stock' | 'all', others: readonly ('project' | 'relay')[]): void => {
  needsStockPostgres()
  let world: World
  let accounts: readonly ShopAccount[]
  const endpoints: { close: () => Promise<void> }[] = []
  before(async () => {
    world = await World.open({
      servers: () => openSetUp(setUpName),
      env: { RETRY_SCHEDULE: '1,1,1' },
      roles: ['api', 'deliver', 'deliver', ...others],
    })
    accounts = await openShops(world.baoco, world.installation, ACCOUNTS + 1, world.servers.env)
  })
  after(async () => {
    await world?.close()
    await Promise.all(endpoints.map((endpoint) => endpoint.close()))
  })

  it('make every first attempt and every retry, and none of them twice', async () => {
    const workers = world.of('deliver')
    const shops: { personalUrl: string; endpoint: Endpoint; oracle: Oracle }[] = []
    for (const { apiKey, personalUrl } of accounts.slice(0, ACCOUNTS)) {
      const api = (method: string, path: string, body?: unknown) => callApi(world.baoco, apiKey, method, path, body)
      const endpoint = await openEndpoint({ name: 'shop', api, answer: answerHalf })
      endpoints.push(endpoint)
      shops.push({ personalUrl, endpoint, oracle: new Oracle() })
    }

    const loading = new AbortController()
    const loads = shops.map(({ oracle, personalUrl }) => oracle.load(personalUrl, RATE, loading.signal))
    await eventually(() => workers.every((worker) => madeBy(worker) >= OF_EACH), {
      within: 300_000,
      what: 'calls made by each process',
    }).finally(() => loading.abort())
    await Promise.all(loads)
    for (const { oracle, endpoint } of shops) {
      await oracle.settled([endpoint], 120_000)
      const { accepted, lost, altered, duplicated } = await oracle.verdict([endpoint])
      expect({ lost, altered, duplicated }).to.deep.equal({ lost: 0, altered: 0, duplicated: 0 })
      expect(accepted).to.be.at.least(1)
    }
    expect(shops.reduce((sum, { oracle }) => sum + oracle.accepted, 0)).to.be.at.least(OF_EACH)
  })

  it('send waiting calls to the new URL of their rule, although the old one does not answer', async () => {
    const { apiKey, personalUrl } = accounts[ACCOUNTS]!
    const [hanging, next] = [await openShop(hang), await openShop()]
    endpoints.push(hanging, next)
    const rules = '/api/webhooks'
    const { body } = await callApi(world.baoco, apiKey, 'POST', rules, { name: 'shop', url: hanging.url })
    const oracle = new Oracle()
    for (let posted = 0; posted < MORE_THAN_SLOTS; posted += 10)
      await Promise.all(Array.from({ length: 10 }, () => oracle.post(personalUrl)))
    await eventually(() => hanging.calls.length >= 64, { what: 'as many calls as one process has in flight' })
    const rule = `${rules}/${(body.data as { id: number }).id}`
    expect((await callApi(world.baoco, apiKey, 'PUT', rule, { url: next.url })).status).to.equal(200)
    // The lists show the change, and so do the rows that each process looks at ten times a second.
    const listed = async () => (await callApi(world.baoco, apiKey, 'GET', rules)).body.data as { url: string }[]
    await eventually(async () => (await listed())[0]!.url === next.url)
    const changed = Date.now()
    const attemptsOf = (calls: readonly ReceivedCall[]) =>
      calls.map(({ headers }) => `${headers['webhook-id']} ${headers['x-webhook-attempt']}`)
    const first = (attempt: string) => attempt.endsWith(' 1')
    const madeAll = eventually(
      () => attemptsOf([...hanging.calls, ...next.calls]).filter(first).length >= MORE_THAN_SLOTS,
      { within: 60_000, what: 'a first attempt of every payment' },
    )
    const [longest] = await Promise.all([longestControl(madeAll, listed), madeAll])
    // A process may take a moment to see the change, and the machine may delay it. The slots of the old URL become free after ten seconds.
    expect(hanging.calls.filter(({ at }) => at > changed + 1_000 + 2 * longest)).to.deep.equal([])
    const all = attemptsOf([...hanging.calls, ...next.calls])
    expect(new Set(all).size).to.equal(all.length)
  })
}

describe('two delivery processes', function () {
  this.timeout(600_000)

  describe('on Postgres alone', () => sideBySide('stock', ['project']))

  describe('on EventStoreDB, Kafka and Postgres', () => {
    needsKafka()
    sideBySide('all', ['project', 'relay'])
  })
})
