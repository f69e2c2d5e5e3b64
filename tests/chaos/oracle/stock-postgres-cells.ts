/**
 * Faults on Debian's Postgres that holds everything, the events too, in a database with hostile defaults. One of them is that commits do
 * not wait for the disk: a killed server would then lose notifications that were accepted.
 */
import { randomBytes } from 'node:crypto'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { eventually } from '../../harness/eventually.ts'
import type { OwnServer } from '../../harness/own-server.ts'
import type { SetUp } from '../../harness/servers.ts'
import { HOSTILE_DEFAULTS } from '../../harness/stock-postgres/hostile-defaults.ts'
import { startStockPostgres } from '../../harness/stock-postgres/server.ts'
import { World } from '../../harness/world.ts'
import { openClaimLog, workerOf, type ClaimLog } from './claims.ts'
import { openEndpoint } from './endpoint.ts'
import { Oracle, type Verdict } from './oracle.ts'

interface StockServers extends SetUp {
  postgres: OwnServer
  database: Database
}

const startServers = async (): Promise<StockServers> => {
  const postgres = await startStockPostgres()
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
  cause(world: World<StockServers>, claims: ClaimLog): Promise<void>
}

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
]

const PER_SECOND = 40

export interface StockResult extends Verdict {
  cell: string
}

/** Runs one cell after another under load, each with notifications of its own. @param times  how often each fault occurs */
export const runStockPostgresCells = async (times = 1): Promise<StockResult[]> => {
  const world = await World.open({
    servers: startServers,
    env: { RETRY_SCHEDULE: '1,1,1' },
    roles: ['api', 'project', 'deliver', 'deliver'],
  })
  const claims = await openClaimLog(world.servers)
  const endpoint = await openEndpoint({
    name: 'the shop',
    api: (...call) => world.api(...call),
    answer: (_call, response) => (response.writeHead(200).end(), 'taken'),
  })
  try {
    const results: StockResult[] = []
    const oracles = stockPostgresCells.map((_, number) => new Oracle(1 + number * 100_000))
    for (const [number, { cause }] of stockPostgresCells.entries()) {
      const oracle = oracles[number]!
      const loading = new AbortController()
      const load = oracle.load(world.installation.personalUrl, PER_SECOND, loading.signal)
      const moreAccepted = () => {
        const goal = oracle.accepted + PER_SECOND
        return eventually(() => oracle.accepted >= goal, { within: 120_000, what: 'notifications accepted' })
      }
      try {
        await moreAccepted()
        for (let done = 0; done < times; done++) {
          await cause(world, claims)
          await moreAccepted()
        }
      } finally {
        loading.abort()
        await load
      }
    }
    for (const [number, { name }] of stockPostgresCells.entries()) {
      await oracles[number]!.settled([endpoint], 180_000)
      results.push({ cell: name, ...(await oracles[number]!.verdict([endpoint], claims.all)) })
    }
    return results
  } finally {
    await claims.close()
    await world.close()
    await endpoint.close()
  }
}
