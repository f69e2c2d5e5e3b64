/**
 * Compares Debian's Postgres, with the settings of its package, with the embedded one: accepted notifications per second, and the whole way
 * to the last recorded attempt. Short rounds on both alternate, so that other work on the machine slows both.
 */
import { startChild, sendLoad } from './support/children.ts'
import { secondsUntil, startBench, type Bench, finish, untilRecorded, RECORDED } from './support/installation.ts'
import { median, type Load, type LoadReport } from './support/load.ts'
import { addRules, listed } from './support/shops.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 15)
const SECONDS = Number(process.env.SECONDS ?? 2)
const COUNT = Number(process.env.COUNT ?? 3_000)

interface Side {
  name: string
  bench: Bench
  /** Per second, of each round. */
  accepted: number[]
  wholeWay: number[]
  /** The number of the next text. */
  next: number
}

const receiver = await startChild('./receiver.ts')

const open = async (name: 'embedded' | 'stock'): Promise<Side> => {
  const bench = await startBench({ setUp: name })
  await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
  return { name, bench, accepted: [], wholeWay: [], next: 1 }
}

const load = async (side: Side, more: Partial<Load>): Promise<LoadReport> => {
  const report = await sendLoad({ urls: side.bench.urls, connections: 256, orders: false, from: side.next, ...more })
  side.next += report.accepted + report.refused
  return report
}

const burst = async (side: Side): Promise<void> => {
  const { baoco, shops } = side.bench
  const before = await listed(baoco, shops)
  const { accepted, seconds } = await load(side, { seconds: SECONDS })
  side.accepted.push(accepted / seconds)
  await secondsUntil(120, async () => (await listed(baoco, shops)) - before >= accepted)
}

const wholeWay = async (side: Side): Promise<void> => {
  const before = await side.bench.world.metric(RECORDED)
  const { accepted, firstAt } = await load(side, { count: COUNT, orders: true })
  await untilRecorded(side.bench, before + accepted)
  side.wholeWay.push((accepted * 1000) / (performance.timeOrigin + performance.now() - firstAt))
}

const sides = [await open('embedded'), await open('stock')] as const
const [embedded, stock] = sides

/** The first round of each includes compilation, and is not counted. */
for (let round = 0; round <= ROUNDS; round++) {
  for (const side of round % 2 ? sides : sides.toReversed()) await burst(side)
  for (const side of round % 2 ? sides : sides.toReversed()) await wholeWay(side)
}
for (const [name, of] of [
  ['accepted', 'accepted'],
  ['whole way', 'wholeWay'],
] as const) {
  const [ours, theirs] = [embedded[of].slice(1), stock[of].slice(1)]
  const ratios = theirs.map((rate, round) => rate / ours[round]!)
  console.log(
    `${name}: embedded ${median(ours).toFixed(0)}/s, Debian's Postgres ${median(theirs).toFixed(0)}/s; ` +
      `ratio ${median(ratios).toFixed(2)} in the median of ${ratios.length} pairs (at least 0.8)`,
  )
}
await finish(...sides.map(({ bench }) => bench))
