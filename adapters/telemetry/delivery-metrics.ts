// Tests: tests/integration/delivery/metrics.test.ts
/** Metrics of deliveries. Label values come only from Baoco: lanes, states, classes of outcomes, codes of known banks. */
import type { Gauge, Registry } from 'prom-client'
import { bankName } from '../../domain/banks/directory.ts'
import type { AttemptReport } from '../../workflows/deliver/attempts.ts'
import type { DeliveryNumbers } from '../postgres/delivery-queue/numbers.ts'
import { inTime } from './in-time.ts'
import { instruments } from './instruments.ts'

export interface WatchedDelivery {
  /** Calls of each lane in this process. */
  use: () => Readonly<Record<string, { inFlight: number; waiting: number }>>
  /** Numbers of the queue that all processes share. */
  numbers: () => Promise<DeliveryNumbers>
}

/** Turns `http_404` into `http_4xx`: a status that a server chose must not become a label. */
const classOf = (error: string | null): string => error?.replace(/^http_(\d)\d+$/, 'http_$1xx') ?? ''

/** A gauge without the values of the last time. */
const presentOnly = (registry: Registry) => {
  const { gauge } = instruments(registry)
  return (name: string, help: string, labelNames: string[], read: (of: Gauge) => Promise<void> | void) =>
    gauge(name, help, labelNames, (of) => {
      // Without labels, `reset` sets it to 0.
      if (labelNames.length > 0) of.reset()
      else of.remove()
      return read(of)
    })
}

/** Metrics of the queue that all processes share. A process with several roles has them once. */
export const watchQueue = (registry: Registry, numbers: WatchedDelivery['numbers']): void => {
  if (registry.getSingleMetric('baoco_deliveries_overdue')) return
  const gauge = presentOnly(registry)
  let asked: Promise<DeliveryNumbers | null> | null = null
  /** At most one query per scrape. If the database is down or does not answer in time, these metrics are left out. */
  const ask = () => (asked ??= inTime(numbers()).finally(() => (asked = null)))
  gauge(
    'baoco_delivery_oldest_due_seconds',
    'For how long the oldest due delivery has waited',
    ['lane'],
    async (of) => {
      for (const { lane, seconds } of (await ask())?.oldest ?? []) of.set({ lane }, seconds)
    },
  )
  gauge('baoco_deliveries_overdue', 'Deliveries due for over 30 seconds and not held', [], async (of) => {
    const now = await ask()
    if (now) of.set(now.overdue)
  })
  gauge('baoco_endpoints_left_alone', 'Endpoints that get only probes, by reason', ['state'], async (of) => {
    const now = await ask()
    if (!now) return
    of.set({ state: 'open' }, now.open)
    of.set({ state: 'asked_to_wait' }, now.asked_to_wait)
  })
}

/** @returns a function that counts one attempt */
export const watchDelivery = (
  registry: Registry,
  { use, numbers }: WatchedDelivery,
): ((report: AttemptReport) => void) => {
  const { counter, histogram } = instruments(registry)
  const byBank = counter('baoco_bank_attempts_total', 'Calls made, by bank, outcome and class of error', [
    'bank',
    'outcome',
    'class',
  ])
  const dueLag = histogram(
    'baoco_delivery_due_lag_seconds',
    'Time from when an attempt was due in the queue to its call; 0 for first attempts made before that',
    [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 3_600],
    ['lane'],
  )
  const gauge = presentOnly(registry)
  gauge('baoco_deliveries_in_flight', 'Calls in progress, in this process', ['lane'], (of) => {
    for (const [lane, { inFlight }] of Object.entries(use())) of.set({ lane }, inFlight)
  })
  gauge('baoco_lane_waiting', 'Claimed calls that wait for a slot, in this process', ['lane'], (of) => {
    for (const [lane, { waiting }] of Object.entries(use())) of.set({ lane }, waiting)
  })
  watchQueue(registry, numbers)
  return ({ bank_code, outcome, error, lane, since_due_ms }) => {
    const bank = bankName(bank_code) === null ? 'other' : bank_code
    byBank.inc({ bank, outcome: outcome ?? 'deleted', class: classOf(error) })
    dueLag.observe({ lane }, since_due_ms / 1000)
  }
}
