/**
 * Faults on Debian's Postgres that holds everything, the events too, in a database with hostile defaults. One of them is that commits do
 * not wait for the disk: a killed server would then lose notifications that were accepted.
 */
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { eventually } from '../../harness/eventually.ts'
import type { SetUp } from '../../harness/servers.ts'
import { HOSTILE_DEFAULTS } from '../../harness/stock-postgres/hostile-defaults.ts'
import { startStockPostgres, type StockPostgres } from '../../harness/stock-postgres/server.ts'
import { World } from '../../harness/world.ts'
import { openClaimLog, workerOf, type ClaimLog } from './claims.ts'
import { openEndpoint } from './endpoint.ts'
import { LARGE, Oracle, type Verdict } from './oracle.ts'

interface StockServers extends SetUp {
  postgres: StockPostgres
  database: Database
}

const startServers = async (): Promise<StockServers> => {
  const postgres = await startStockPostgres({ ownClock: true })
  const { url } = await postgres.database(HOSTILE_DEFAULTS)
  const database = openDatabase(url(), { poolSize: 2 })
  const secret = () => randomBytes(32).toString('hex')
  return {
    env: { DATABASE_URL: url(), JWT_SECRET: secret(), VAULT_KEY: secret() },
    postgres,
    database,
    close: async () => {
      await database.close()
      await postgres.remove()
    },
  }
}

interface Cell {
  name: string
  /** @param load.moreAccepted  resolves when a second of notifications was accepted */
  cause(world: World<StockServers>, claims: ClaimLog, load: { moreAccepted(): Promise<unknown> }): Promise<void>
}

const AN_HOUR_S = 3_600
/** Milliseconds. Longer than a lease lasts without renewal. */
const SUSPENDED = 10_000

export const stockPostgresCells: readonly Cell[] = [
  {
    name: 'Postgres killed and restarted',
    cause: async ({ servers: { postgres } }) => {
      await postgres.kill()
      await postgres.start()
    },
  },
  {
    name: 'Postgres stopped and restarted',
    cause: async ({ servers: { postgres } }) => {
      await postgres.stop()
      await postgres.start()
    },
  },
  {
    name: 'kill -9 of deliver',
    cause: async (world, claims) => {
      const [victim] = world.of('deliver')
      const worker = await workerOf(victim!)
      await victim!.kill()
      await claims.note(worker)
      victim!.start()
      await victim!.running.ready
    },
  },
  {
    // Leases, claims, the pace of a limited rule and the due times of first attempts get times of the wrong clock. The holder of the leases
    // ends meanwhile. Nothing fails here: tests/integration/delivery/clock-ahead.test.ts has the retries that such a clock puts off.
    name: 'clock of Postgres an hour ahead and corrected',
    cause: async (world, _claims, { moreAccepted }) => {
      const { postgres, database } = world.servers
      const offset = async (): Promise<number> =>
        (await database.query<{ ms: number }>(`SELECT extract(epoch FROM clock_timestamp())::float * 1000 AS ms`))[0]!
          .ms - Date.now()
      const isOff = (seconds: number) =>
        eventually(async () => Math.abs((await offset()) - seconds * 1_000) < 60_000, {
          what: `a clock ${seconds} s ahead`,
        })
      postgres.setClock(AN_HOUR_S)
      await isOff(AN_HOUR_S)
      await moreAccepted()
      const [holder] = world.of('project')
      const isLeasedFarAhead = async (): Promise<boolean> => {
        const [lease] = await database.query<{ expires_at: string }>(
          `SELECT expires_at FROM ops.lease WHERE name = 'projector main'`,
        )
        return Date.parse(lease?.expires_at ?? '') > Date.now() + (AN_HOUR_S / 2) * 1_000
      }
      await eventually(isLeasedFarAhead, { what: 'a lease that lasts for an hour' })
      await holder!.kill()
      await moreAccepted()
      postgres.setClock(0)
      await isOff(0)
      holder!.start()
      await holder!.running.ready
    },
  },
  {
    name: 'project suspended for longer than its lease, with a standby',
    cause: async (world) => {
      const standby = await world.launch('project')
      const [holder] = world.of('project')
      const lease = () =>
        world.servers.database.query<{ holder: string }>(`SELECT holder FROM ops.lease WHERE name = 'projector main'`)
      const before = (await lease())[0]?.holder
      holder!.freeze()
      await new Promise((resolve) => setTimeout(resolve, SUSPENDED))
      await eventually(async () => ![undefined, before].includes((await lease())[0]?.holder), {
        what: 'a standby that takes over',
      })
      holder!.thaw()
      await standby.stop()
    },
  },
]

/** How often each fault occurs, and the notifications per second. */
export interface StockForm {
  times: number
  perSecond: number
}

export const SHORT_STOCK: StockForm = { times: 1, perSecond: 10 }
export const FULL_STOCK: StockForm = { times: 10, perSecond: 40 }

export interface StockResult extends Verdict {
  cell: string
}

/** Runs one cell after another under load, each with notifications of its own. */
export const runStockPostgresCells = async ({ times, perSecond }: StockForm): Promise<StockResult[]> => {
  const world = await World.open({
    servers: startServers,
    env: { RETRY_SCHEDULE: '1,1,1' },
    roles: ['api', 'project', 'deliver', 'deliver'],
  })
  const claims = await openClaimLog(world.servers)
  const api: World['api'] = (...call) => world.api(...call)
  const endpoints = [
    await openEndpoint({
      name: 'the shop',
      api,
      answer: (_call, response) => (response.writeHead(200).end(), 'taken'),
    }),
    await openEndpoint({
      name: 'the shop with a limit',
      api,
      rule: { max_per_minute: 60 * 2 * perSecond, min_amount: LARGE },
      answer: (_call, response) => (response.writeHead(200).end(), 'taken'),
    }),
  ]
  try {
    const results: StockResult[] = []
    const oracles = stockPostgresCells.map((_, number) => new Oracle(1 + number * 100_000))
    for (const [number, { cause }] of stockPostgresCells.entries()) {
      const oracle = oracles[number]!
      const loading = new AbortController()
      const load = oracle.load(world.installation.personalUrl, perSecond, loading.signal)
      const moreAccepted = () => {
        const goal = oracle.accepted + perSecond
        return eventually(() => oracle.accepted >= goal, { within: 120_000, what: 'notifications accepted' })
      }
      try {
        await moreAccepted()
        for (let done = 0; done < times; done++) {
          await cause(world, claims, { moreAccepted })
          await moreAccepted()
        }
      } finally {
        loading.abort()
        await load
      }
    }
    for (const [number, { name }] of stockPostgresCells.entries()) {
      await oracles[number]!.settled(endpoints, 180_000)
      results.push({ cell: name, ...(await oracles[number]!.verdict(endpoints, claims.all)) })
    }
    return results
  } finally {
    await claims.close()
    await world.close()
    await Promise.all(endpoints.map((endpoint) => endpoint.close()))
  }
}
