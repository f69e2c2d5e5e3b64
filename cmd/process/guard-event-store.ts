// Tests: tests/chaos/store-away.test.ts
/** The event store as the process uses it: measured, behind the circuit breaker, and with a full disk recognised. */
import { guardStore } from '../../adapters/event-store/circuit-breaker.ts'
import { timed } from '../../adapters/event-store/timed.ts'
import type { Disk } from '../../adapters/system/disk.ts'
import type { Metrics } from '../../adapters/telemetry/metrics.ts'
import type { EventStore, LogLines } from '../../domain/ports.ts'

interface Parts {
  disk: Disk
  metrics: Metrics
  log: LogLines
}

/** @returns the store for background work, which waits while it is away; for requests, which are refused; and a function that ends both */
export const guardEventStore = (
  bare: EventStore,
  { disk, metrics, log }: Parts,
): { store: EventStore; requestStore: EventStore; end(): Promise<void> } => {
  const measured = timed(bare, {
    onCall: metrics.storeCalled,
    onSlow: (slow) => log.warn(slow, 'event_store.slow'),
  })
  const guarded = guardStore(measured, {
    onOutage: (outage) => {
      metrics.storeOutage()
      log.warn(outage, 'event_store.outage_began')
    },
    onRecovered: (outage) => log.warn(outage, 'event_store.outage_ended'),
  })
  metrics.watchStore(guarded)
  return {
    store: disk.guard(guarded.store, { refuses: false }),
    requestStore: disk.guard(guarded.requestStore, { refuses: true }),
    end: guarded.end,
  }
}
