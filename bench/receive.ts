/**
 * Measures accepted notifications per second in a burst, compared with a bare Koa handler that parses the same body.
 * The same load generator drives both in turn, in one run. The ratio counts, not the absolute figures.
 */
import { bareAppends, shareOfAppends } from './support/appends.ts'
import { startChild, sendLoad } from './support/children.ts'
import { secondsUntil, startBench } from './support/installation.ts'
import { addRules, listed } from './support/shops.ts'
import type { Load, LoadReport } from './support/load.ts'

const SECONDS = Number(process.env.SECONDS ?? 20)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 256)

const burst = (urls: readonly string[], load: Partial<Load>): Promise<LoadReport> =>
  sendLoad({ urls, seconds: SECONDS, connections: CONNECTIONS, orders: false, ...load })

const bare = async (): Promise<number> => {
  const koa = await startChild('./bare-koa.ts')
  const { accepted, seconds } = await burst([`${koa.url}/`], { seconds: SECONDS / 2 })
  koa.stop()
  return accepted / seconds
}

const measure = async (withRule: boolean): Promise<void> => {
  const before = await bare()
  const bench = await startBench()
  const receiver = await startChild('./receiver.ts')
  if (withRule) await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
  const appends = [await bareAppends(bench)]
  const earlier = await listed(bench.baoco, bench.shops)
  const { accepted, refused, seconds, p50, p99 } = await burst(bench.urls, { orders: withRule })
  const caughtUp = await secondsUntil(60, async () => (await listed(bench.baoco, bench.shops)) - earlier >= accepted)
  let delivered = ''
  if (withRule) {
    const orders = async () => ((await (await fetch(`${receiver.url}/count`)).json()) as { orders: number }).orders
    delivered = `, all delivered ${(await secondsUntil(300, async () => (await orders()) >= accepted)).toFixed(1)} s after the burst`
  }
  receiver.stop()
  appends.push(await bareAppends(bench))
  await bench.end()
  const yardstick = (before + (await bare())) / 2
  const rate = accepted / seconds
  console.log(
    `${withRule ? 'with a matching rule' : 'no rule matches'}: ${rate.toFixed(0)}/s accepted (${refused} refused), ` +
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; bare Koa ${yardstick.toFixed(0)}/s; ratio ${(rate / yardstick).toFixed(3)} ` +
      `(at least ${withRule ? 0.1 : 0.2}); read models caught up ${caughtUp.toFixed(1)} s after the burst${delivered}${shareOfAppends(rate, appends)}`,
  )
}

await measure(false)
await measure(true)
process.exit(0)
