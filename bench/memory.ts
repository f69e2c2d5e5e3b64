/** Resident memory under steady load. At minute 10 it must be at most 1.1 × that at minute 2. */
import { readFile } from 'node:fs/promises'
import { startChild, sendLoad } from './support/children.ts'
import { startBench, finish } from './support/installation.ts'
import { addRules } from './support/shops.ts'

const RATE = Number(process.env.RATE ?? 100)
const MINUTES = Number(process.env.MINUTES ?? 10)

const bench = await startBench()
const receiver = await startChild('./receiver.ts')
await addRules(bench.baoco, bench.shops, `${receiver.url}/`)
const residentMiB = async (): Promise<number> => {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${bench.baoco.process.pid}/status`, 'utf8'))!
  return Number(kib) / 1024
}
const load = sendLoad({ urls: bench.urls, count: RATE * 60 * MINUTES, rate: RATE })
const readings: number[] = []
for (let minute = 1; minute <= MINUTES; minute++) {
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  readings.push(await residentMiB())
  console.log(`minute ${minute}: ${readings.at(-1)!.toFixed(0)} MiB`)
}
const { accepted } = await load
console.log(
  `memory at ${RATE}/s: minute 2 ${readings[1]!.toFixed(0)} MiB, minute ${MINUTES} ${readings.at(-1)!.toFixed(0)} MiB, ` +
    `ratio ${(readings.at(-1)! / readings[1]!).toFixed(2)} (at most 1.1), ${accepted} accepted`,
)
await finish(bench)
