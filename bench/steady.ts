/**
 * CPU per payment at a steady rate, of all processes: Baoco and its Postgres. Each payment is received, recorded, listed and delivered. What
 * an idle installation uses in the same time is shown beside it and not subtracted.
 *
 *     npx tsx bench/steady.ts
 *
 * `RATES` (payments per second, `10,30,100`) and `SECONDS` change the load.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { arrivalsAt, startChild, sendLoad } from './support/children.ts'
import { secondsUntil, startBench, finish } from './support/installation.ts'
import { percentile, type LoadReport } from './support/load.ts'
import { addRules } from './support/shops.ts'
import { openUsage, type Cpu } from './support/usage.ts'

const RATES = (process.env.RATES ?? '10,30,100').split(',').map(Number)
const SECONDS = Number(process.env.SECONDS ?? 20)
/** Payments before the measurement, so that the code is compiled and the connections are open. */
const WARM_UP = 2_000
const IDLE_SECONDS = 10

const bench = await startBench()
const receiver = await startChild('./receiver.ts')
await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
const usage = openUsage(bench)

const during = async (work: () => Promise<unknown>): Promise<Cpu> => {
  const before = usage.cpu()
  await work()
  const after = usage.cpu()
  return { baoco: after.baoco - before.baoco, postgres: after.postgres - before.postgres }
}

const recorded = () => bench.world.metric('baoco_attempts_recorded_total')

let next = 1
const pay = async (count: number, rate: number): Promise<LoadReport> => {
  const before = await recorded()
  const load = await sendLoad({ urls: bench.urls, count, rate, from: next, sentAt: true })
  next += count
  if (load.refused > 0) throw new Error(`${load.refused} posts were refused`)
  await secondsUntil(60, async () => (await recorded()) >= before + count, 500)
  return load
}

const each = ({ baoco, postgres }: Cpu, count: number): string =>
  `${((1000 * (baoco + postgres)) / count).toFixed(2)} ms (Baoco ${((1000 * baoco) / count).toFixed(2)}, Postgres ${((1000 * postgres) / count).toFixed(2)})`

await pay(WARM_UP, 400)
const idle = await during(() => pause(IDLE_SECONDS * 1000))
console.log(`idle: ${each(idle, IDLE_SECONDS)} of CPU per second`)
for (const rate of RATES) {
  const count = Math.max(100, rate * SECONDS)
  let load: LoadReport | undefined
  const cpu = await during(async () => (load = await pay(count, rate)))
  const arrived = await arrivalsAt(receiver)
  const ways = Object.entries(load!.sentAt!).map(([number, sentAt]) => arrived[`DH${number}`]![0]! - sentAt)
  console.log(
    `${rate}/s: CPU per payment ${each(cpu, count)}; post to endpoint p50 ${percentile(ways, 0.5).toFixed(1)} ms, p99 ${percentile(ways, 0.99).toFixed(1)} ms`,
  )
}
await finish(bench)
