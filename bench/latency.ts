/**
 * Time from the post of a bank's text to the call of the shop's endpoint, at a fixed rate. At 200/s: p50 under 15 ms, p99 under 60 ms.
 * Beside it, in the same run, the same for a process that only stores the text on disk, answers and posts: what this machine allows.
 */
import { arrivalsAt, startChild, sendLoad, type Listening } from './support/children.ts'
import { secondsUntil, startBench, finish } from './support/installation.ts'
import { addRules } from './support/shops.ts'
import { percentile } from './support/load.ts'

const RATE = Number(process.env.RATE ?? 200)
const SECONDS = Number(process.env.SECONDS ?? 30)
/** The first three seconds are not counted: the runtime compiles code and connections open. */
const WARM_UP = RATE * 3

/** @returns the milliseconds of each way from a post to the receiver */
const measure = async (urls: readonly string[], receiver: Listening): Promise<number[]> => {
  const load = await sendLoad({ urls, count: RATE * SECONDS + WARM_UP, rate: RATE, sentAt: true })
  await secondsUntil(60, async () => Object.keys(await arrivalsAt(receiver)).length >= load.accepted)
  const arrived = await arrivalsAt(receiver)
  return Object.entries(load.sentAt!)
    .filter(([number]) => Number(number) > WARM_UP)
    .map(([number, sentAt]) => arrived[`DH${number}`]![0]! - sentAt)
}

const bareReceiver = await startChild('./receiver.ts')
const bare = await startChild('./bare-store-and-post.ts', { url: bareReceiver.url })
const least = await measure([`${bare.url}/`], bareReceiver)
bare.stop()
bareReceiver.stop()

const bench = await startBench()
const receiver = await startChild('./receiver.ts')
await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
const ways = await measure(bench.urls, receiver)

const p50 = (of: readonly number[]) => percentile(of, 0.5)
const p99 = (of: readonly number[]) => percentile(of, 0.99)
console.log(
  `receive → shop at ${RATE}/s for ${SECONDS} s: p50 ${p50(ways).toFixed(1)} ms (under 15), ` +
    `p99 ${p99(ways).toFixed(1)} ms (under 60), most ${Math.max(...ways).toFixed(1)} ms, ${ways.length} ways`,
)
console.log(
  `only stored, answered and posted: p50 ${p50(least).toFixed(1)} ms, p99 ${p99(least).toFixed(1)} ms, ` +
    `most ${Math.max(...least).toFixed(1)} ms; of these p50 ${(p50(ways) / p50(least)).toFixed(2)}, p99 ${(p99(ways) / p99(least)).toFixed(2)}`,
)
await finish(bench)
