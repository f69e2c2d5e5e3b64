// Tests: tests/integration/memory-at-rest.test.ts
/**
 * Returns memory to the system after a load. V8 collects its old objects when their memory has grown by a factor, which at rest may take
 * hours. Collecting everything takes some 50 ms, so it waits until the process has little to do.
 */
import { getHeapStatistics } from 'node:v8'

const LOOK_EVERY_MS = 2_000
/** The part of the time in which the event loop of a process at rest has work. Unlike CPU time, it counts waiting for a core. */
const AT_REST = 0.1
/** Less is not worth a collection. A steady load leaves less than that. */
const LITTLE_BYTES = 150 * 1_048_576

/** Does nothing unless Node was started with `--expose-gc`. @returns a function that ends it */
export const releaseMemoryAtRest = (lookEveryMs = LOOK_EVERY_MS): (() => void) => {
  const collect = globalThis.gc
  if (!collect) return () => {}
  let since = performance.eventLoopUtilization()
  let kept = 0
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(since)
    if (utilization < AT_REST && getHeapStatistics().total_physical_size - kept > LITTLE_BYTES) {
      collect()
      kept = getHeapStatistics().total_physical_size
    }
    since = performance.eventLoopUtilization()
  }
  const timer = setInterval(look, lookEveryMs).unref()
  return () => clearInterval(timer)
}
