/**
 * Measures the worst single requests, one after the other. Sixty requests of a stranger must each stay under 50 ms of CPU and 20 MB of
 * memory. Requests of a caller with a good credential, whose bodies of 10 MB are read, must each stay under 250 ms and 100 MB. CPU is
 * that of the event loop, for which all requests wait. The CPU of the whole process is in brackets: after about 10 MB of buffers V8 may
 * collect garbage on other threads, for about 50 ms of CPU. Memory is the largest increase while the process answers. The median of
 * three attempts counts.
 *
 *     npx tsx bench/worst-request.ts
 *     ONLY=login npx tsx bench/worst-request.ts    (requests whose name contains the word)
 *
 * Exits with 1 if a request exceeds a limit or gets an unexpected status.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { cpuMsOf, loopMsOf, peakMb, watchPeak } from '../tests/harness/process-costs.ts'
import { bytesOf, exchangeRaw } from '../tests/harness/raw-request.ts'
import { requestsOfCallers, requestsOfStrangers, type WorstRequest } from '../tests/harness/worst-requests.ts'
import { startBench } from './support/installation.ts'
import { median } from './support/load.ts'

interface Limit {
  cpuMs: number
  mb: number
}

const TRIES = 3
const ONLY = process.env.ONLY ?? ''
/** The process has finished a request by then. Background work is not included. In milliseconds. */
const SETTLING_MS = 50
/** Most CPU that an idle process uses in that time, in milliseconds, and the number of checks. */
const QUIET_MS = 3
const QUIET_LOOKS = 100

const bench = await startBench({ accounts: 1 })
const pid = bench.baoco.process.pid!
const { port, apiKey, personalUrl } = bench.installation

interface Cpu {
  loop: number
  all: number
}
/** CPU time while the work runs, in milliseconds. */
const cpuWhile = async (work: () => Promise<unknown>): Promise<Cpu> => {
  const [loop, all] = [loopMsOf(pid), cpuMsOf(pid)]
  await work()
  await pause(SETTLING_MS)
  return { loop: loopMsOf(pid) - loop, all: cpuMsOf(pid) - all }
}

/** Waits until the process is idle: it compiles no code and writes no rows. */
const untilQuiet = async (): Promise<void> => {
  for (let looks = 0; looks < QUIET_LOOKS; looks++) {
    const before = cpuMsOf(pid)
    await pause(SETTLING_MS)
    if (cpuMsOf(pid) - before < QUIET_MS) return
  }
}

const failures: string[] = []

const measure = async (request: WorstRequest, limit: Limit): Promise<void> => {
  const bytes = bytesOf(request)
  const cpu: Cpu[] = []
  const memory: number[] = []
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await untilQuiet()
    const before = watchPeak(pid)
    let status = 0
    cpu.push(await cpuWhile(async () => ({ status } = await exchangeRaw(port, bytes))))
    memory.push(peakMb(pid) - before)
    if (status !== request.status) failures.push(`${request.name}: ${status} instead of ${request.status}`)
  }
  const [ms, all, mb] = [median(cpu.map(({ loop }) => loop)), median(cpu.map((each) => each.all)), median(memory)]
  const isOver = ms > limit.cpuMs || mb > limit.mb
  if (isOver) failures.push(`${request.name}: ${ms.toFixed(1)} ms, ${mb.toFixed(1)} MB`)
  console.log(
    `${ms.toFixed(1).padStart(7)} ms (${all.toFixed(1).padStart(5)}) ${mb.toFixed(1).padStart(7)} MB  ${isOver ? 'OVER ' : ''}${request.name}`,
  )
  worst.cpuMs = Math.max(worst.cpuMs, ms)
  worst.mb = Math.max(worst.mb, mb)
}

let worst: Limit = { cpuMs: 0, mb: 0 }
const measureAll = async (whose: string, requests: readonly WorstRequest[], limit: Limit): Promise<void> => {
  worst = { cpuMs: 0, mb: 0 }
  for (const request of requests) if (request.name.includes(ONLY)) await measure(request, limit)
  console.log(
    `${requests.length} requests of ${whose}: at most ${worst.cpuMs.toFixed(1)} ms CPU (under ${limit.cpuMs}), ` +
      `${worst.mb.toFixed(1)} MB (under ${limit.mb})`,
  )
}

const good = { apiKey, personalPath: new URL(personalUrl).pathname }
// Puts the process into its state after some traffic: code is compiled, and the runtime has allocated the memory that it keeps.
const warmUp = [...requestsOfStrangers, ...requestsOfCallers(good)]
for (const request of [...warmUp, ...warmUp]) await exchangeRaw(port, bytesOf(request))
for (let count = 0; count < 2_000; count++) await fetch(`${personalUrl}?sender=VCB&text=warm%20${count}`)
console.log(`idle: ${(await cpuWhile(() => pause(950))).all.toFixed(1)} ms CPU a second`)

await measureAll('strangers', requestsOfStrangers, { cpuMs: 50, mb: 20 })
await measureAll('callers with a credential', requestsOfCallers(good), { cpuMs: 250, mb: 100 })
await bench.end()
for (const failure of failures) console.error(failure)
process.exit(failures.length > 0 ? 1 : 0)
