/** Starts Baoco like a user does, with a new data folder, for one benchmark. */
import { countStatements, openMeter, type Meter } from './costs.ts'
import { openShops, type ShopAccount } from './shops.ts'
import { durability } from '../../tests/harness/inside.ts'
import { openSetUp, SET_UPS } from '../../tests/harness/servers.ts'
import {
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type DataFolder,
  type Running,
} from '../../tests/harness/baoco-process.ts'

export interface Bench {
  baoco: Running
  installation: Installation
  shops: readonly ShopAccount[]
  urls: readonly string[]
  end(): Promise<void>
}

const OPEN_DOORS = { RATE_LIMITS: 'off', ALLOW_PRIVATE_TARGETS: '1', LOG_LEVEL: 'warn' }

/** The set-up of servers, from the environment variable `SETUP`. */
const setUp = SET_UPS.find((name) => name === (process.env.SETUP ?? 'embedded'))
if (!setUp) throw new Error(`SETUP is one of ${SET_UPS.join(', ')}`)

/** @param accounts  the number of shops · @param prepare  runs on the installation's directory before anything starts there */
export const startBench = async ({
  accounts = 8,
  prepare = () => Promise.resolve(),
}: { accounts?: number; prepare?: (place: DataFolder) => Promise<void> } = {}): Promise<Bench> => {
  const place = await newDataFolder()
  await prepare(place)
  const servers = await openSetUp(setUp)
  const baoco = await startBaoco(place, { ...OPEN_DOORS, ...servers.env })
  const installation = readInstallation(place, baoco.output())
  console.log(`set-up: ${setUp}; commits: ${await durability(place)}`)
  const shops = await openShops(baoco, installation, accounts, servers.env)
  return {
    baoco,
    installation,
    shops,
    urls: shops.map(({ personalUrl }) => personalUrl),
    end: async () => {
      await baoco.stop()
      await removeDataFolder(installation)
      await servers.close()
    },
  }
}

/** Starts a benchmark whose costs are measured. */
export const startMeteredBench = async (accounts: number): Promise<Bench & { meter: Meter }> => {
  const bench = await startBench({ accounts, prepare: countStatements })
  const meter = await openMeter(bench.installation, [bench.baoco.process.pid!])
  return { ...bench, meter, end: () => meter.close().then(bench.end) }
}

/** Polls every `every` milliseconds until the result is true. Fails after `most` seconds. @returns the seconds it took */
export const secondsUntil = async (most: number, ask: () => Promise<boolean>, every = 50): Promise<number> => {
  const began = performance.now()
  while (!(await ask())) {
    if (performance.now() - began > most * 1000) throw new Error(`not so within ${most} s`)
    await new Promise((resolve) => setTimeout(resolve, every))
  }
  return (performance.now() - began) / 1000
}
