/** Time from the post of a bank's text to the call of the shop's endpoint, at a fixed rate. At 200/s: p50 under 15 ms, p99 under 60 ms. */
import { runChild, startChild } from './support/children.ts'
import { secondsUntil, startBench } from './support/installation.ts'
import { addRules } from './support/shops.ts'
import { percentile, type LoadReport } from './support/load.ts'

const RATE = Number(process.env.RATE ?? 200)
const SECONDS = Number(process.env.SECONDS ?? 30)
/** The first three seconds are not counted: the runtime compiles code and connections open. */
const WARM_UP = RATE * 3

const bench = await startBench()
const receiver = await startChild('./receiver.ts')
await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
const load = await runChild<LoadReport>('./load.ts', {
  urls: bench.urls,
  count: RATE * SECONDS + WARM_UP,
  rate: RATE,
  connections: 32,
  orders: true,
  from: 1,
  sentAt: true,
})
const arrivals = async () => (await (await fetch(`${receiver.url}/arrivals`)).json()) as Record<string, number[]>
await secondsUntil(60, async () => Object.keys(await arrivals()).length >= load.accepted)
const arrived = await arrivals()
const ways = Object.entries(load.sentAt!)
  .filter(([number]) => Number(number) > WARM_UP)
  .map(([number, sentAt]) => arrived[`DH${number}`]![0]! - sentAt)
console.log(
  `receive → shop at ${RATE}/s for ${SECONDS} s: p50 ${percentile(ways, 0.5).toFixed(1)} ms (under 15), ` +
    `p99 ${percentile(ways, 0.99).toFixed(1)} ms (under 60), most ${Math.max(...ways).toFixed(1)} ms, ${ways.length} ways`,
)
receiver.stop()
await bench.end()
process.exit(0)
