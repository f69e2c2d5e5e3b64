/** Starts Baoco like a user does, with a new data folder, for one benchmark. */
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import './children.ts'
import { countStatements, openMeter, type Meter } from './costs.ts'
import { openShops, type ShopAccount } from './shops.ts'
import { durability, inside } from '../../tests/harness/installation-database.ts'
import { startBaoco, type DataFolder, type Installation, type Running } from '../../tests/harness/baoco-process.ts'
import { giveCluster } from '../../tests/harness/copied-cluster.ts'
import { openSetUp, SET_UPS, type SetUp, type SetUpName } from '../../tests/harness/servers.ts'
import { World, type WorldOptions } from '../../tests/harness/world.ts'

export interface Bench {
  world: World
  baoco: Running
  installation: Installation
  shops: readonly ShopAccount[]
  urls: readonly string[]
  end(): Promise<void>
}

/** The set-up of servers, from the environment variable `SETUP`. */
const chosen = SET_UPS.find((name) => name === (process.env.SETUP ?? 'embedded'))
/** The short form of a benchmark, for tests, starts on a copied database. */
const isShort = process.argv.includes('--short')
if (!chosen) throw new Error(`SETUP is one of ${SET_UPS.join(', ')}`)

/**
 * @param accounts  the number of shops · @param prepare  runs on the installation's directory before anything starts there
 * @param setUp  default: the chosen one · @param readyWithin  milliseconds that a start may take
 */
export const startBench = async ({
  accounts = 8,
  prepare,
  setUp = chosen,
  readyWithin,
}: { accounts?: number; setUp?: SetUpName; readyWithin?: number } & Pick<
  WorldOptions<SetUp>,
  'prepare'
> = {}): Promise<Bench> => {
  const servers = () => openSetUp(setUp, { isAsSlowAsReal: !isShort })
  const start: WorldOptions<SetUp>['start'] = (dataFolder, env) =>
    startBaoco(dataFolder, env, 'serve', readyWithin === undefined ? {} : { within: readyWithin })
  const world = await World.open({
    servers,
    env: { LOG_LEVEL: 'warn' },
    isFirstStart: !isShort,
    start,
    ...(prepare && {
      prepare: async (dataFolder: DataFolder) => {
        if (isShort) await giveCluster(dataFolder.dataDir, true)
        await prepare(dataFolder)
      },
    }),
  })
  const { baoco, installation } = world
  console.log(`set-up: ${setUp}; commits: ${await durability(installation, world.env.DATABASE_URL)}`)
  const shops = await openShops(baoco, installation, accounts, world.servers.env)
  return {
    world,
    baoco,
    installation,
    shops,
    urls: shops.map(({ personalUrl }) => personalUrl),
    end: async () => {
      await baoco.stop()
      await world.close()
    },
  }
}

/** Starts a benchmark whose costs are measured. */
export const startMeteredBench = async (accounts: number): Promise<Bench & { meter: Meter }> => {
  const bench = await startBench({ accounts, prepare: countStatements })
  const meter = await openMeter(bench.installation, [bench.baoco.process.pid!])
  return { ...bench, meter, end: () => meter.close().then(bench.end) }
}

/** Works on the database of an installation. */
export const onDatabase = <Result>(
  installation: Installation,
  work: (database: Database) => Promise<Result>,
): Promise<Result> =>
  inside(installation, (url) => {
    const database = openDatabase(url, { poolSize: 1 })
    return work(database).finally(() => database.close())
  })

/** Polls every `every` milliseconds until the result is true. Fails after `most` seconds. @returns the seconds it took */
export const secondsUntil = async (most: number, ask: () => Promise<boolean>, every = 50): Promise<number> => {
  const began = performance.now()
  while (!(await ask())) {
    if (performance.now() - began > most * 1000) throw new Error(`not so within ${most} s`)
    await new Promise((resolve) => setTimeout(resolve, every))
  }
  return (performance.now() - began) / 1000
}

/**
 * Waits until this many attempts are recorded. Each poll costs Baoco some time, so polls are rarer while many are missing. Baoco records
 * fewer than ten per millisecond.
 */
export const untilRecorded = ({ world }: Pick<Bench, 'world'>, attempts: number): Promise<number> =>
  secondsUntil(
    300,
    async () => {
      const missing = attempts - (await world.metric(RECORDED))
      if (missing > 0) await pause(missing / 10)
      return missing <= 0
    },
    10,
  )

export const RECORDED = 'baoco_attempts_recorded_total'

/** Ends the installation and the program, and with it all children. */
export const finish = async (...benches: readonly Pick<Bench, 'end'>[]): Promise<never> => {
  for (const bench of benches) await bench.end()
  process.exit(0)
}
