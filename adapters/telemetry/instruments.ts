// Tests: tests/integration/delivery/metrics.test.ts
/** Creates metrics in one registry. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export const instruments = (registry: Registry) => {
  const registers = [registry]
  /** @param read  sets the present values, each time the metrics are collected */
  const gauge = (name: string, help: string, labelNames: string[] = [], read?: (of: Gauge) => Promise<void> | void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      ...(read && {
        collect() {
          return read(this as unknown as Gauge)
        },
      }),
    })
  return {
    gauge,
    /** @param value  undefined while it is not known */
    present: (name: string, help: string, value: () => number | undefined) =>
      gauge(name, help, [], (of) => {
        const present = value()
        if (present === undefined) of.remove()
        else of.set(present)
      }),
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name, help, buckets, labelNames, registers }),
  }
}

export type Instruments = ReturnType<typeof instruments>
