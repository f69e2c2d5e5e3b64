/**
 * Measures one account that 1, 2 and 4 `api` processes receive for, on Postgres and on EventStoreDB's stand-in: at full load and at a modest
 * rate, in rounds. The figures in brackets are ratios to one process in the same round. With 2 and 4 processes the p99 should be at most 1.5
 * times that of one, and the throughput at least 0.9 of it, without a refusal. A process that has just started needs two to three times the CPU
 * for each post, and of four processes each gets a quarter of the posts; so all of them work for `WARM` seconds first.
 *
 *     npx tsx bench/several.ts              both stores
 *     ONLY=postgres npx tsx bench/several.ts
 */
import { sendLoad } from './support/children.ts'
import { median, type Load, type LoadReport } from './support/load.ts'
import { startOwnStandIn } from '../tests/harness/eventstoredb/process.ts'
import { startOwnPostgres } from '../tests/harness/own-postgres.ts'
import { secrets, type SetUp } from '../tests/harness/servers.ts'
import { World } from '../tests/harness/world.ts'

const SECONDS = Number(process.env.SECONDS ?? 10)
const WARM = Number(process.env.WARM ?? 40)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 256)
const RATE = Number(process.env.RATE ?? 40)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const COUNTS = [1, 2, 4]

const STORES: Record<string, () => Promise<SetUp>> = {
  postgres: async () => {
    const postgres = await startOwnPostgres()
    return { env: { DATABASE_URL: postgres.url(), ...secrets() }, close: postgres.remove }
  },
  eventstoredb: async () => {
    const [postgres, store] = await Promise.all([startOwnPostgres(), startOwnStandIn({ isAsSlowAsReal: true })])
    const close = async () => void (await Promise.all([postgres.remove(), store.remove()]))
    return { env: { DATABASE_URL: postgres.url(), EVENTSTORE_URL: store.url, ...secrets() }, close }
  },
}

interface Figures {
  full: LoadReport
  modest: LoadReport
  /** Until the first answer, milliseconds. A process that has become the owner of the account reads it first. */
  first: number
  /** Requests that were handed over to a process that was then lost. */
  takenBack: number
}

const takenBack = async (world: World): Promise<number> => {
  const texts = await Promise.all(world.of('api').map((api) => api.metrics()))
  return texts
    .flatMap((text) => [...text.matchAll(/^baoco_notifications_handed_over_total\{outcome="taken_back"\} (\d+)/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0)
}

let from = 1
const measure = async (world: World): Promise<Figures> => {
  const load = async (kind: Partial<Load>): Promise<LoadReport> => {
    const report = await sendLoad({
      urls: [world.installation.personalUrl],
      origins: world.of('api').map(({ running }) => running.baseUrl),
      orders: false,
      from,
      ...kind,
    })
    from += 1_000_000
    return report
  }
  const began = performance.now()
  while ((await load({ count: 1, connections: 1 })).accepted === 0);
  const first = performance.now() - began
  await load({ seconds: WARM, connections: CONNECTIONS })
  const full = await load({ seconds: SECONDS, connections: CONNECTIONS })
  const modest = await load({ seconds: SECONDS, connections: 32, rate: RATE, uncountedSeconds: 1 })
  return { full, modest, first, takenBack: await takenBack(world) }
}

const rateOf = ({ accepted, seconds }: LoadReport): number => accepted / seconds

const FIGURES: readonly [name: string, of: (report: LoadReport) => number][] = [
  ['per second', rateOf],
  ['p50 ms', ({ p50 }) => p50],
  ['p99 ms', ({ p99 }) => p99],
]

/** The medians of the rounds, each with the median of its ratios to one process in the same round. */
const shown = (reports: readonly LoadReport[], ones: readonly LoadReport[]): string =>
  [
    ...FIGURES.map(([name, of]) => {
      const ratios = reports.map((report, round) => of(report) / of(ones[round]!))
      return `${name} ${median(reports.map(of)).toFixed(1)} (${median(ratios).toFixed(2)})`
    }),
    `refused ${reports.reduce((sum, { refused }) => sum + refused, 0)}`,
  ].join(', ')

// Nothing else keeps this process running while it waits for a server's end.
setInterval(() => {}, 1_000)

for (const [store, servers] of Object.entries(STORES)) {
  if (process.env.ONLY && process.env.ONLY !== store) continue
  const world = await World.open({ servers, roles: ['api'], env: { LOG_LEVEL: 'warn' } })
  const results = new Map(COUNTS.map((count): [number, Figures[]] => [count, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const count of COUNTS) {
      while (world.of('api').length < count) await world.launch('api')
      for (const { stop } of world.of('api').slice(count)) await stop()
      results.get(count)!.push(await measure(world))
    }
  for (const kind of ['full', 'modest'] as const)
    for (const [count, figures] of results) {
      const of = (all: readonly Figures[]) => all.map((each) => each[kind])
      const load = kind === 'full' ? 'full load' : `${RATE}/s`
      console.log(`${store}, ${load}, ${count} processes: ${shown(of(figures), of(results.get(1)!))}`)
      const byRound = (of: (each: Figures) => number) => figures.map((each) => of(each).toFixed(0)).join(', ')
      if (kind === 'modest')
        console.log(
          `  by round: first answer ms ${byRound(({ first }) => first)}; taken back ${byRound((each) => each.takenBack)}`,
        )
    }
  await world.close()
}
process.exit(0)
