/**
 * Measures accepted notifications per second while an accountant's export runs, compared with none running, in rounds that alternate. The export of
 * one shop is requested again and again; the others receive too. The ratio counts, not the absolute figures.
 * The environment variables `COUNT` (transactions, of which a fifth are exported), `ROUNDS` and `SECONDS` change the run.
 */
import { startChild, sendLoad } from './support/children.ts'
import { fillLists } from './support/fill.ts'
import { onDatabase, startBench } from './support/installation.ts'
import { median, type Load } from './support/load.ts'
import { addRules } from './support/shops.ts'

const COUNT = Number(process.env.COUNT ?? 1_000_000)
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 10)
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64)
const FORMATS = ['csv', 'xlsx'] as const

const bench = await startBench()
const shop = await startChild('./receiver.ts')

let from = 1
const burst = async (): Promise<number> => {
  const load: Partial<Load> = { urls: bench.urls, seconds: SECONDS, connections: CONNECTIONS, orders: false, from }
  const { accepted, seconds } = await sendLoad(load)
  from += 10_000_000
  return accepted / seconds
}

/** @returns the size of one export in bytes */
const exported = async (format: (typeof FORMATS)[number], signal: AbortSignal): Promise<number> => {
  const path = `${bench.baoco.baseUrl}/api/transactions/export?format=${format}`
  const response = await fetch(path, { headers: { 'x-api-key': bench.installation.apiKey }, signal })
  if (response.status !== 200) throw new Error(`the export answered ${response.status}`)
  let size = 0
  for await (const chunk of response.body!) size += (chunk as Uint8Array).length
  return size
}

/** Exports until the signal aborts. @returns the number of complete exports */
const exporting = async (format: (typeof FORMATS)[number], signal: AbortSignal): Promise<number> => {
  let exports = 0
  while (!signal.aborted) {
    await exported(format, signal).catch((error: Error) => {
      if (!signal.aborted) throw error
    })
    if (!signal.aborted) exports++
  }
  return exports
}

try {
  const [rule] = await addRules(bench.baoco, bench.shops.slice(0, 1), `${shop.url}/`)
  await onDatabase(bench.installation, async (database) => {
    await fillLists(database, { user: rule!.user_id, rule: rule!.id, count: COUNT }, () => {})
  })
  for (const format of FORMATS) {
    const ratios: number[] = []
    const rates: [number, number][] = []
    let complete = 0
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await burst()
      const ending = new AbortController()
      const running = exporting(format, ending.signal)
      const beside = await burst()
      ending.abort()
      complete += await running
      rates.push([alone, beside])
      ratios.push(beside / alone)
    }
    const [alone, beside] = [0, 1].map((which) => median(rates.map((pair) => pair[which]!)))
    console.log(
      `${format}: ${alone!.toFixed(0)}/s accepted, ${beside!.toFixed(0)}/s while ${COUNT / 5} rows are exported again and again ` +
        `(${complete} complete exports); ratio ${median(ratios).toFixed(2)} in the median of ${ROUNDS} rounds, ` +
        `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    )
  }
} finally {
  shop.stop()
  await bench.end()
}
process.exit(0)
