/**
 * Measures the whole way of 20,000 payments from the first post to the last recorded attempt: receive, read, record, send, record.
 * Compares it in the same run with a loop that only signs and posts the same bodies with the same sender, at its best concurrency.
 * Measures twice: a process that has just started, and the same process after that many payments.
 *
 *     npx tsx bench/whole-way.ts [--short]
 *
 * `--short` is for tests and uses small numbers.
 */
import { bareAppends, shareOfAppends } from './support/appends.ts'
import { runChild, startChild, sendLoad } from './support/children.ts'
import { startBench, finish, untilRecorded, RECORDED } from './support/installation.ts'
import { addRules } from './support/shops.ts'

const isShort = process.argv.includes('--short')
const COUNT = Number(process.env.COUNT ?? (isShort ? 20 : 20_000))
const SHOPS = isShort ? 2 : 8

const yardstick = async (): Promise<number> => {
  const receiver = await startChild('./receiver.ts')
  let best = 0
  for (const concurrency of isShort ? [16] : [16, 64, 128]) {
    const { seconds } = await runChild<{ seconds: number }>('./sign-and-post.ts', {
      url: `${receiver.url}/`,
      count: COUNT,
      concurrency,
    })
    best = Math.max(best, COUNT / seconds)
  }
  receiver.stop()
  return best
}

const best = await yardstick()
const bench = await startBench({ accounts: SHOPS })
const receiver = await startChild('./receiver.ts')
await addRules(bench.baoco, bench.shops, `${receiver.url}/`)

/** @param from  the number of the first payment */
const wholeWay = async (what: string, from: number): Promise<void> => {
  const appends = [await bareAppends(bench)]
  const before = await bench.world.metric(RECORDED)
  const load = await sendLoad({ urls: bench.urls, count: COUNT, connections: 256, from })
  await untilRecorded(bench, before + load.accepted)
  const seconds = (performance.timeOrigin + performance.now() - load.firstAt) / 1000
  const rate = load.accepted / seconds
  appends.push(await bareAppends(bench))
  console.log(
    `${what}: ${load.accepted} in ${seconds.toFixed(1)} s, ${rate.toFixed(0)}/s (received at ${(load.accepted / load.seconds).toFixed(0)}/s); ` +
      `sign and post alone ${best.toFixed(0)}/s; ratio ${(rate / best).toFixed(3)} (at least 0.15, aim 0.25)${shareOfAppends(rate, appends)}`,
  )
}

await wholeWay('whole way', 1)
// The first payments include a second or two of compilation.
await wholeWay('the next as many', COUNT + 1)
await finish(bench)
