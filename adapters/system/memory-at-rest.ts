// Tests: tests/integration/memory-at-rest.test.ts
/**
 * Returns memory to the system after a start or a load. V8 collects its old objects when their memory has grown by a factor, which at rest may
 * take hours. Collecting everything takes 30 to 50 ms, so it waits for a second in which hardly anything happens.
 * `--no-flush-bytecode` keeps the compiled code of functions, which several collections in a row would remove as unused.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { getHeapStatistics } from 'node:v8'

const LOOK_EVERY_MS = 1_000
/**
 * The part of the time in which the event loop of a process at rest has work. Unlike CPU time, it counts waiting for a core. With
 * ten payments a second it is 0.06: a collection would delay some of them by its whole length.
 */
const AT_REST = 0.02
/**
 * Requests, received or sent, between two checks of a process at rest. A process that hands over ten payments a second to another one hardly
 * works, but a collection would delay one of them as well.
 */
const REQUESTS_AT_REST = 2
const CHANNELS_OF_REQUESTS = ['http.server.request.start', 'undici:request:create']
/** So much is collected in the first second of rest. */
const MUCH_BYTES = 100 * 1_048_576
/**
 * V8 gives the memory of its young objects back only if hardly any were made in the five seconds before. By then a process is settled: at each look
 * it had few requests, and less work than this.
 */
const SETTLED_LOOKS = 8
const HARDLY_BUSY = 0.1
/** Less is not worth a collection even then. */
const LITTLE_BYTES = 16 * 1_048_576
/** A collection that returned less is the last one. Each returns only a part, because V8 shrinks the heap step by step. */
const LAST_BYTES = 8 * 1_048_576

const heapBytes = (): number => getHeapStatistics().total_physical_size

/** Does nothing unless Node was started with `--expose-gc`. @returns a function that ends it */
export const releaseMemoryAtRest = (lookEveryMs = LOOK_EVERY_MS): (() => void) => {
  const collect = globalThis.gc
  if (!collect) return () => {}
  let since = performance.eventLoopUtilization()
  let requests = 0
  /** Checks in a row at which it was hardly busy. */
  let calmLooks = 0
  /** Bytes after the last collection, and after the last one of a settled process. */
  let [kept, settled] = [0, 0]
  let isDue = false
  const count = (): void => void requests++
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(since)
    const bytes = heapBytes()
    calmLooks = utilization < HARDLY_BUSY && requests <= REQUESTS_AT_REST ? calmLooks + 1 : 0
    const isSettled = calmLooks >= SETTLED_LOOKS
    isDue ||= bytes - kept > MUCH_BYTES || (isSettled && bytes - settled > LITTLE_BYTES)
    if (isDue && calmLooks > 0 && utilization < AT_REST) {
      collect()
      kept = heapBytes()
      if (isSettled) settled = kept
      isDue = bytes - kept > LAST_BYTES
    }
    since = performance.eventLoopUtilization()
    requests = 0
  }
  const timer = setInterval(look, lookEveryMs).unref()
  for (const channel of CHANNELS_OF_REQUESTS) subscribe(channel, count)
  return () => {
    clearInterval(timer)
    for (const channel of CHANNELS_OF_REQUESTS) unsubscribe(channel, count)
  }
}
