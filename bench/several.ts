/**
 * Measures one account that 1, 2 and 4 `api` processes receive for, on Postgres and on EventStoreDB's stand-in: at full load and at a modest
 * rate. The single process is measured before and after the others, and the figures are ratios to it. With 2 and 4 processes the p99 should be
 * at most 1.5 times that of one, and the throughput at least 0.9 of it, without a refusal.
 *
 *     npx tsx bench/several.ts              both stores
 *     ONLY=postgres npx tsx bench/several.ts
 */
import { runChild } from './support/children.ts'
import type { Load, LoadReport } from './support/load.ts'
import { startOwnStandIn } from '../tests/harness/eventstoredb/process.ts'
import { startOwnPostgres } from '../tests/harness/own-postgres.ts'
import { secrets, type SetUp } from '../tests/harness/servers.ts'
import { World } from '../tests/harness/world.ts'

const SECONDS = Number(process.env.SECONDS ?? 10)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 256)
const RATE = Number(process.env.RATE ?? 40)
const COUNTS = [2, 4]

const STORES: Record<string, () => Promise<SetUp>> = {
  postgres: async () => {
    const postgres = await startOwnPostgres()
    return { env: { DATABASE_URL: postgres.url(), ...secrets() }, close: postgres.remove }
  },
  eventstoredb: async () => {
    const [postgres, store] = await Promise.all([startOwnPostgres(), startOwnStandIn()])
    const close = async () => void (await Promise.all([postgres.remove(), store.remove()]))
    return { env: { DATABASE_URL: postgres.url(), EVENTSTORE_URL: store.url, ...secrets() }, close }
  },
}

interface Figures {
  full: LoadReport
  modest: LoadReport
}

let from = 1
const measure = async (world: World): Promise<Figures> => {
  const load = async (kind: Partial<Load>): Promise<LoadReport> => {
    const report = await runChild<LoadReport>('./load.ts', {
      urls: [world.installation.personalUrl], origins: world.of('api').map(({ running }) => running.baseUrl), orders: false, from, ...kind,
    } satisfies Partial<Load>) // prettier-ignore
    from += 1_000_000
    return report
  }
  await load({ seconds: 3, connections: CONNECTIONS })
  const full = await load({ seconds: SECONDS, connections: CONNECTIONS })
  const modest = await load({ seconds: SECONDS, connections: 32, rate: RATE })
  return { full, modest }
}

const rateOf = ({ accepted, seconds }: LoadReport): number => accepted / seconds

const shown = (name: string, report: LoadReport, ones: readonly LoadReport[]): string => {
  const ratio = (of: (report: LoadReport) => number): string =>
    (of(report) / (ones.map(of).reduce((sum, each) => sum + each) / ones.length)).toFixed(2)
  return (
    `${name}: ${rateOf(report).toFixed(0)}/s (${ratio(rateOf)}), p50 ${report.p50.toFixed(1)} ms (${ratio(({ p50 }) => p50)}), ` +
    `p99 ${report.p99.toFixed(1)} ms (${ratio(({ p99 }) => p99)}), ${report.refused} refused`
  )
}

// Nothing else keeps this process running while it waits for a server's end.
setInterval(() => {}, 1_000)

for (const [store, servers] of Object.entries(STORES)) {
  if (process.env.ONLY && process.env.ONLY !== store) continue
  const world = await World.open({ servers, roles: ['api'], env: { LOG_LEVEL: 'warn' } })
  const results: [name: string, figures: Figures][] = [['1 process', await measure(world)]]
  for (const count of COUNTS) {
    while (world.of('api').length < count) await world.launch('api')
    results.push([`${count} processes`, await measure(world)])
  }
  for (const { stop } of world.of('api').slice(1)) await stop()
  results.push(['1 process, again', await measure(world)])
  const ones = [results.at(0)![1], results.at(-1)![1]]
  for (const kind of ['full', 'modest'] as const)
    for (const [name, figures] of results)
      console.log(
        shown(
          `${store}, ${kind === 'full' ? 'full load' : `${RATE}/s`}, ${name}`,
          figures[kind],
          ones.map((one) => one[kind]),
        ),
      )
  await world.close()
}
process.exit(0)
