/**
 * One of ten endpoints hangs until the timeout, at an offered load of 200/s. Measures how much later the calls to the nine others arrive.
 * Runs with and without the hanging endpoint alternate, because the noise of the machine varies. The two p99 of each pair are compared. The
 * median of the increase over all pairs must be less than 10 %.
 *
 *     npx tsx bench/hanging.ts [--short]
 *
 * `SHOPS` sets how many shops own the endpoints: 10 shops with one each (the default), or 1 shop with all of them. Every pair uses a new
 * hanging endpoint, so that in every such run it hangs until its breaker opens, after 10 s or more.
 */
import { arrivalsAt, startChild, sendLoad } from './support/children.ts'
import { secondsUntil, startBench, finish } from './support/installation.ts'
import { median, percentile, runLoad, type Load } from './support/load.ts'
import { connectShop, type ShopAccount, type ShopRule } from './support/shops.ts'

const isShort = process.argv.includes('--short')
const RATE = Number(process.env.RATE ?? (isShort ? 20 : 200))
const SECONDS = Number(process.env.SECONDS ?? (isShort ? 1 : 12))
const PAIRS = Number(process.env.PAIRS ?? (isShort ? 1 : 9))
const SHOPS = Number(process.env.SHOPS ?? (isShort ? 2 : 10))
/** The first payments are not counted: connections open and the endpoint begins to hang. */
const WARM_UP = RATE

const bench = await startBench({ accounts: SHOPS })
const shopOf = (index: number): ShopAccount => bench.shops[index % SHOPS]!
const nine = await startChild('./receiver.ts', { endpoints: 9 })
const healthy: ShopRule[] = []
for (const [index, url] of nine.urls.entries())
  healthy.push(...(await connectShop(bench.baoco, shopOf(index), [url], index)))

let next = 1
let prefixes = healthy.length

/** @returns the milliseconds from receive to arrival at the nine other endpoints */
const run = async (hangs: boolean): Promise<number[]> => {
  // Both kinds of run have the same number of connections and rules.
  const tenth = await startChild('./receiver.ts')
  const [rule] = await connectShop(bench.baoco, shopOf(9), [tenth.url], prefixes++)
  if (hangs) await fetch(`${tenth.url}/hang`)
  const from = next
  next += RATE * SECONDS + WARM_UP
  const offered: Load = {
    urls: Array.from({ length: 10 }, (_, index) => shopOf(index).personalUrl),
    prefixes: [...healthy, rule!].map(({ prefix }) => prefix),
    count: RATE * SECONDS + WARM_UP,
    rate: RATE,
    connections: 32,
    orders: true,
    from,
    sentAt: true,
  }
  const load = isShort ? await runLoad(offered) : await sendLoad(offered)
  if (load.refused > 0) throw new Error(`${load.refused} posts were refused`)
  const counted = Object.entries(load.sentAt!).filter(([number]) => Number(number) % 10 !== 9)
  const orderOf = (number: string): string => `${healthy[Number(number) % 10]!.prefix}${number}`
  let arrived: Record<string, number[]> = {}
  await secondsUntil(120, async () => {
    arrived = await arrivalsAt(nine)
    return counted.every(([number]) => arrived[orderOf(number)])
  })
  // Lets the endpoint answer again, so that no call of this run is left for the next.
  await fetch(`${tenth.url}/answer`)
  tenth.stop()
  return counted
    .filter(([number]) => Number(number) >= from + WARM_UP)
    .map(([number, sentAt]) => arrived[orderOf(number)]![0]! - sentAt)
}

await run(false)
const pairs: { without: number; with: number }[] = []
for (let pair = 0; pair < PAIRS; pair++) {
  const p99 = { without: 0, with: 0 }
  // The second run of a pair finds more rows, so the order alternates too.
  for (const hangs of pair % 2 === 0 ? [false, true] : [true, false])
    p99[hangs ? 'with' : 'without'] = percentile(await run(hangs), 0.99)
  pairs.push(p99)
  console.log(`p99 without ${p99.without.toFixed(1)} ms, with one that hangs ${p99.with.toFixed(1)} ms`)
}
const without = median(pairs.map((pair) => pair.without))
const more = median(pairs.map((pair) => pair.with / pair.without - 1)) * 100
console.log(
  `nine others at ${RATE}/s, ${SHOPS === 1 ? 'of one shop' : `of ${SHOPS} shops`}: median p99 ${without.toFixed(1)} ms without, ` +
    `${median(pairs.map((pair) => pair.with)).toFixed(1)} ms with one that hangs; in the median pair ${more.toFixed(1)} % more (under 10 %)`,
)
await finish(bench)
