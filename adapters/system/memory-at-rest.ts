// Tests: tests/integration/memory-at-rest.test.ts
/**
 * Returns memory to the system after a load. V8 collects its old objects when their memory has grown by a factor, which at rest may take
 * hours. Collecting everything takes 30 to 50 ms, so it waits for a second in which hardly anything happens.
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
 * Requests, received or sent, between two looks of a process at rest. A process that hands over ten payments a second to another one hardly
 * works, but a collection would delay one of them as well.
 */
const REQUESTS_AT_REST = 2
const CHANNELS_OF_REQUESTS = ['http.server.request.start', 'undici:request:create']
/** Less is not worth a collection. */
const LITTLE_BYTES = 100 * 1_048_576
/** A collection that returned less is the last one. Each returns only a part, because V8 shrinks the heap step by step. */
const LAST_BYTES = 8 * 1_048_576

const heapBytes = (): number => getHeapStatistics().total_physical_size

/** Does nothing unless Node was started with `--expose-gc`. @returns a function that ends it */
export const releaseMemoryAtRest = (lookEveryMs = LOOK_EVERY_MS): (() => void) => {
  const collect = globalThis.gc
  if (!collect) return () => {}
  let since = performance.eventLoopUtilization()
  let requests = 0
  let kept = 0
  let isDue = false
  const count = (): void => void requests++
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(since)
    const bytes = heapBytes()
    isDue ||= bytes - kept > LITTLE_BYTES
    if (isDue && utilization < AT_REST && requests <= REQUESTS_AT_REST) {
      collect()
      kept = heapBytes()
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
