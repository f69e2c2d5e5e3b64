/**
 * Measures Baoco in the way in which the peers in bench/peers.md were measured: 64 connections, real commits, one endpoint, then a steady
 * rate, then ten endpoints of which one hangs. Memory and CPU are those of all processes. Two yardsticks run in turn with it: a loop that only
 * signs and posts, and a bare Koa handler. Compare the ratios, not the figures.
 *
 *     npx tsx bench/side-by-side.ts
 *
 * `RUNS` installations are measured, each a new one; the table shows the median. `COUNT` is the number of payments of the whole way.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { arrivalsAt, runChild, startChild, sendLoad } from './support/children.ts'
import { secondsUntil, startBench, untilRecorded } from './support/installation.ts'
import { median, percentile, type Load, type LoadReport } from './support/load.ts'
import { addRules, connectShop, type ShopRule } from './support/shops.ts'
import { openUsage } from './support/usage.ts'

const RUNS = Number(process.env.RUNS ?? 5)
const COUNT = Number(process.env.COUNT ?? 10_000)
const SECONDS = Number(process.env.SECONDS ?? 10)
const CONNECTIONS = 64
const [RATE, RATE_OF_TEN] = [100, 50]
/** The first seconds at a steady rate are not counted: connections open and code is compiled. */
const WARM_UP_SECONDS = 2

const signAndPost = async (): Promise<number> => {
  const receiver = await startChild('./receiver.ts')
  const { seconds } = await runChild<{ seconds: number }>('./sign-and-post.ts', {
    url: `${receiver.url}/`,
    count: COUNT,
    concurrency: CONNECTIONS,
  })
  receiver.stop()
  return COUNT / seconds
}

const bareKoa = async (): Promise<number> => {
  const koa = await startChild('./bare-koa.ts')
  const load = { urls: [`${koa.url}/`], seconds: 3, connections: CONNECTIONS, orders: false }
  const { accepted, seconds } = await sendLoad(load)
  koa.stop()
  return accepted / seconds
}

type Figures = Record<string, number>

const measure = async (): Promise<Figures> => {
  const figures: Figures = { 'sign and post, /s': await signAndPost(), 'bare Koa, /s': await bareKoa() }
  const began = performance.now()
  const bench = await startBench()
  figures['start with the accounts of the benchmark, s'] = (performance.now() - began) / 1000
  const receiver = await startChild('./receiver.ts')
  const ten = await startChild('./receiver.ts', { endpoints: 9 })
  const hanging = await startChild('./receiver.ts')
  await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
  const usage = openUsage(bench)
  let next = 1
  const load = async (some: Partial<Load>): Promise<LoadReport> => {
    const report = await sendLoad({ urls: bench.urls, connections: CONNECTIONS, from: next, ...some })
    next += report.accepted + report.refused
    if (report.refused > 0) throw new Error(`${report.refused} posts were refused`)
    return report
  }

  await pause(5_000)
  figures['memory idle, MB'] = usage.memory()

  const [cpuBefore, walBefore] = [usage.cpu(), await usage.wal()]
  const whole = await load({ count: COUNT })
  await untilRecorded(bench, COUNT)
  const seconds = (performance.timeOrigin + performance.now() - whole.firstAt) / 1000
  const cpu = usage.cpu()
  figures['recorded, /s'] = COUNT / seconds
  figures['CPU for 1,000 the whole way, s'] =
    (1000 * (cpu.baoco + cpu.postgres - cpuBefore.baoco - cpuBefore.postgres)) / COUNT
  figures['log per message, bytes'] = ((await usage.wal()) - walBefore) / COUNT

  const accepted = await load({ seconds: SECONDS })
  figures['accepted, /s'] = accepted.accepted / accepted.seconds
  await untilRecorded(bench, next - 1)
  await pause(5_000)
  figures['memory after the load, MB'] = usage.memory()

  const from = next
  const steady = await load({ rate: RATE, count: RATE * (SECONDS + WARM_UP_SECONDS), sentAt: true })
  await untilRecorded(bench, next - 1)
  const arrived = await arrivalsAt(receiver)
  const ways = Object.entries(steady.sentAt!)
    .filter(([number]) => Number(number) >= from + RATE * WARM_UP_SECONDS)
    .map(([number, sentAt]) => arrived[`DH${number}`]![0]! - sentAt)
  figures[`p50 at ${RATE}/s, ms`] = percentile(ways, 0.5)
  figures[`p99 at ${RATE}/s, ms`] = percentile(ways, 0.99)

  const rules: ShopRule[] = []
  for (const [index, url] of [...ten.urls, hanging.url].entries())
    rules.push(...(await connectShop(bench.baoco, bench.shops[index % bench.shops.length]!, [url], index)))
  await fetch(`${hanging.url}/hang`)
  const ofTen = await load({
    urls: rules.map((_, index) => bench.shops[index % bench.shops.length]!.personalUrl),
    prefixes: rules.map(({ prefix }) => prefix),
    rate: RATE_OF_TEN,
    count: RATE_OF_TEN * (SECONDS + WARM_UP_SECONDS),
    from: 10 * Math.ceil(next / 10),
    sentAt: true,
  })
  const counted = Object.entries(ofTen.sentAt!)
    .filter(([number]) => Number(number) % 10 !== 9)
    .slice(RATE_OF_TEN * WARM_UP_SECONDS)
  const orderOf = (number: string): string => `${rules[Number(number) % 10]!.prefix}${number}`
  let others: Record<string, number[]> = {}
  await secondsUntil(60, async () => {
    others = await arrivalsAt(ten)
    return counted.every(([number]) => others[orderOf(number)])
  })
  const waysOfNine = counted.map(([number, sentAt]) => others[orderOf(number)]![0]! - sentAt)
  figures[`p50 at ${RATE_OF_TEN}/s over ten, one hangs, ms`] = percentile(waysOfNine, 0.5)
  figures[`p99 at ${RATE_OF_TEN}/s over ten, one hangs, ms`] = percentile(waysOfNine, 0.99)
  for (const each of [receiver, ten, hanging]) each.stop()
  await bench.end()
  const loop = figures['sign and post, /s']!
  figures['accepted / loop'] = figures['accepted, /s']! / loop
  figures['recorded / loop'] = figures['recorded, /s']! / loop
  return figures
}

const runs: Figures[] = []
for (let run = 0; run < RUNS; run++) {
  runs.push(await measure())
  console.error(
    `run ${run + 1}: ${JSON.stringify(runs.at(-1), (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))}`,
  )
}
console.log('| Baoco | median | lowest | highest |\n|---|---:|---:|---:|')
for (const name of Object.keys(runs[0]!)) {
  const values = runs.map((figures) => figures[name]!)
  console.log(
    `| ${[name, ...[median(values), Math.min(...values), Math.max(...values)].map((value) => value.toPrecision(3))].join(' | ')} |`,
  )
}
process.exit(0)
