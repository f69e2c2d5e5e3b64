/**
 * The event store of a running `baoco serve` is frozen, killed and slowed down while notifications arrive. Measured with the deadlines
 * of production: how soon a post is refused, how soon posts are accepted again, and whether an accepted notification is missing.
 */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { openProxy, type Proxy } from '../contract/event-store/proxy.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { timeOf } from '../harness/best-time.ts'
import { eventually } from '../harness/eventually.ts'
import { standInUrl, startOwnStandIn } from '../harness/eventstoredb/process.ts'
import { startOwnPostgres } from '../harness/own-postgres.ts'
import type { OwnServer } from '../harness/own-server.ts'
import { showFigures } from '../harness/figures.ts'
import { longestControl } from '../harness/longest-control.ts'
import { repetitions } from '../harness/repetitions.ts'
import type { SetUp } from '../harness/servers.ts'
import { World } from '../harness/world.ts'

/** The deadlines of `guardStore` and `openCapture`. */
const MOST_WAIT_MS = 8_000
const OPENS_AFTER_S = 10
const GRACE_MS = 1_000

const AT_THE_SAME_TIME = 200
const REFUSED_AT_ONCE = repetitions(200, 50)
const LATE_MS = 300

interface Fault {
  begin: (servers: FailingServers) => unknown
  end: (servers: FailingServers) => unknown
}

const FAULTS: Readonly<Record<string, Fault>> = {
  frozen: { begin: ({ server }) => server.freeze(), end: ({ server }) => server.thaw() },
  killed: { begin: ({ server }) => server.kill(), end: ({ server }) => server.start() },
}

interface FailingServers extends SetUp {
  server: OwnServer
  network: Proxy
}

const failing = (server: OwnServer, network: Proxy, env: Record<string, string>): FailingServers => ({
  server,
  network,
  env: { JWT_SECRET: randomBytes(32).toString('hex'), VAULT_KEY: randomBytes(32).toString('hex'), ...env },
  close: async () => {
    server.thaw()
    await network.close()
    await server.remove()
  },
})

const STORES = {
  EventStoreDB: async () => {
    const server = await startOwnStandIn()
    const network = await openProxy(server.port)
    return failing(server, network, { EVENTSTORE_URL: standInUrl(network.port) })
  },
  Postgres: async () => {
    const server = await startOwnPostgres()
    const network = await openProxy(server.port)
    return failing(server, network, { DATABASE_URL: server.url(network.port) })
  },
} as const

type StoreName = keyof typeof STORES

/** `npm run reliability` causes every fault in both stores. */
const CELLS: readonly (readonly [StoreName, string])[] = repetitions(1, 0)
  ? (['EventStoreDB', 'Postgres'] as const).flatMap((name) => Object.keys(FAULTS).map((how) => [name, how] as const))
  : [
      ['EventStoreDB', 'frozen'],
      ['Postgres', 'frozen'],
    ]

interface Posted {
  number: number
  status: number
  ms: number
  retryAfter: string | null
}

const percentile = (times: readonly number[], share: number): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1]!)
const p99 = (times: readonly number[]): number => percentile(times, 0.99)
/** Of so few requests as in the short form, 99 % are all of them, and one may meet another test's work. */
const NEARLY_ALL = repetitions(0.99, 0.9)

for (const name of new Set(CELLS.map(([store]) => store)))
  describe(`baoco serve while ${name} is away`, function () {
    this.timeout(300_000)
    let world: World<FailingServers>
    let number = 0
    const accepted = new Map<number, number>()
    const at = new Date()

    before(async () => {
      world = await World.open({ servers: STORES[name] })
    })
    after(() => world?.close())

    const post = async (given = ++number): Promise<Posted> => {
      const began = performance.now()
      const body = vietcombankText(given, `DH${given}`, { at })
      const response = await fetch(fromVietcombank(world.installation.personalUrl), { method: 'POST', body })
      const ms = performance.now() - began
      const { data } = (await response.json()) as { data?: { id: number } }
      if (response.status === 200) accepted.set(given, data!.id)
      return { number: given, status: response.status, ms, retryAfter: response.headers.get('retry-after') }
    }
    /** How long a request takes that needs no store. The machine, which the servers and the test share, delays all others as much. */
    const control = (): Promise<number> =>
      timeOf(async () => expect((await fetch(`${world.baoco.baseUrl}/healthz`)).status).to.equal(200))
    const lines = (event: string) =>
      world.baoco
        .output()
        .split('\n')
        .filter((line) => line.includes(`"event":"${event}"`))
    const listed = async (): Promise<number> => {
      const { status, body } = await world.api('GET', '/api/transactions')
      if (status !== 200) throw new Error(`the list answers ${status}`)
      return body.total as number
    }
    const allListedOnce = async (): Promise<void> => {
      expect(new Set(accepted.values()).size).to.equal(accepted.size)
      await eventually(async () => (await listed()) === accepted.size, { within: 60_000, what: 'all in the list' })
    }
    const areRefused = (posted: readonly Posted[]): void => {
      const answers = new Set(posted.map(({ status, retryAfter }) => `${status} ${retryAfter}`))
      expect([...answers]).to.deep.equal(['503 5'])
    }

    for (const [, how] of CELLS.filter(([store]) => store === name))
      it(`(${how}) refuses posts first within the time limit and later at once, continues as soon as the store is back, and loses nothing`, async () => {
        const { begin, end } = FAULTS[how]!
        for (let n = 0; n < 5; n++) expect((await post()).status).to.equal(200)
        await allListedOnce()
        const [began, ended] = ['event_store.outage_began', 'event_store.outage_ended'].map(
          (event) => lines(event).length,
        )

        await begin(world.servers)
        const all = Promise.all(Array.from({ length: AT_THE_SAME_TIME }, () => post()))
        const [waiting, longest] = await Promise.all([all, longestControl(all, control)])
        areRefused(waiting)
        const slow = waiting.map(({ ms }) => ms)
        if (name === 'EventStoreDB') expect(await listed()).to.equal(accepted.size)
        await eventually(async () => (await world.metric('baoco_event_store_refusing')) === 1, {
          what: 'an open breaker',
        })
        const refused: Posted[] = []
        const controls: number[] = []
        for (let n = 0; n < REFUSED_AT_ONCE; n++) {
          refused.push(await post())
          controls.push(await control())
        }
        areRefused(refused)
        const scraped = performance.now()
        expect(await world.metric('baoco_event_store_refusing')).to.equal(1)
        expect(await world.metric('baoco_event_store_silent_seconds')).to.be.above(OPENS_AFTER_S)
        expect(performance.now() - scraped, 'two scrapes').to.be.below(6_000)
        const quick = refused.map(({ ms }) => ms)

        await end(world.servers)
        const back = performance.now()
        await eventually(async () => (await post()).status === 200, { within: 60_000, what: 'an accepted post' })
        const again = Math.round(performance.now() - back)
        await eventually(() => lines('event_store.outage_ended').length > ended!)
        const again503 = [...waiting, ...refused]
        for (let n = 0; n < again503.length; n += 50)
          await Promise.all(
            again503.slice(n, n + 50).map((one) => eventually(async () => (await post(one.number)).status === 200)),
          )
        await allListedOnce()
        showFigures(
          `${name} ${how} under \`baoco serve\``,
          `503 after ${p99(slow)} ms (p99), later after ${p99(quick)} ms; accepted again ${again} ms after the end; ${accepted.size} accepted, 0 lost`,
        )
        // The machine may delay them when they are sent, and again when they are answered.
        expect(p99(slow)).to.be.below(MOST_WAIT_MS + GRACE_MS + 2 * longest)
        expect(percentile(quick, NEARLY_ALL)).to.be.below(Math.max(100, 3 * percentile(controls, NEARLY_ALL)))
        expect(again).to.be.below(5_000)
        expect([lines('event_store.outage_began').length, lines('event_store.outage_ended').length]).to.deep.equal([
          began! + 1,
          ended! + 1,
        ])
      })

    it('accepts every post while each answer is late, and reports no outage', async () => {
      const before = lines('event_store.outage_began').length
      world.servers.network.delay(LATE_MS)
      const posted = await Promise.all(Array.from({ length: 50 }, () => post()))
      world.servers.network.delay(0)
      expect(posted.filter(({ status }) => status !== 200)).to.deep.equal([])
      expect(lines('event_store.outage_began').length).to.equal(before)
      await allListedOnce()
      showFigures(
        `${name} with each answer ${LATE_MS} ms late`,
        `accepted after ${p99(posted.map(({ ms }) => ms))} ms (p99), no outage reported`,
      )
    })
  })
