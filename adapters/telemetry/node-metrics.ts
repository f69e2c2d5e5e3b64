// Tests: tests/unit/adapters/telemetry/node-metrics.test.ts
/**
 * The usual metrics of Node.js and of its process. prom-client measures the lag of the event loop a hundred times per second. Each
 * measurement wakes the process, which takes a quarter of the CPU time of an idle one. So the lag is measured here, under the same names.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

const PREFIX = 'baoco_'
const MEASURE_EVERY_MS = 100
/** The longest that a timer can wait: 24 days. */
const NEVER_MS = 2 ** 31 - 1

export const collectNodeMetrics = (registry: Registry): void => {
  collectDefaultMetrics({ register: registry, prefix: PREFIX, eventLoopMonitoringPrecision: NEVER_MS })
  measureLag(registry)
}

/** Every collection of the metrics begins a new period. A period without a measurement has no values. */
const measureLag = (registry: Registry): void => {
  const histogram = monitorEventLoopDelay({ resolution: MEASURE_EVERY_MS })
  histogram.enable()
  /** @param between  nanoseconds from one measurement to the next */
  const lag = (between: number): number => Math.max(0, between / 1e9 - MEASURE_EVERY_MS / 1_000)
  const values: [name: string, value: () => number][] = [
    ['min', () => lag(histogram.min)],
    ['max', () => lag(histogram.max)],
    ['mean', () => lag(histogram.mean)],
    ['stddev', () => histogram.stddev / 1e9],
    ['p50', () => lag(histogram.percentile(50))],
    ['p90', () => lag(histogram.percentile(90))],
    ['p99', () => lag(histogram.percentile(99))],
  ]
  for (const [index, [name, value]] of values.entries()) {
    const fullName = `${PREFIX}nodejs_eventloop_lag_${name}_seconds`
    registry.removeSingleMetric(fullName)
    new Gauge({
      name: fullName,
      help: `Lag of the event loop since the last collection, in seconds: ${name}`,
      registers: [registry],
      // The metrics are collected in this order.
      collect() {
        if (histogram.count === 0) this.remove()
        else this.set(value())
        if (index === values.length - 1) histogram.reset()
      },
    })
  }
}
