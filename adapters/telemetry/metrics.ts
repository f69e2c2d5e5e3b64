// Tests: tests/integration/delivery/metrics.test.ts
/** Baoco's Prometheus metrics. Labels never contain text that a user or a stranger wrote. */
import { VERSION } from '../system/version.ts'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { DiskSpace } from '../../domain/disk.ts'
import type { AttemptReport } from '../../workflows/deliver/attempts.ts'
import type { ServerDisks } from '../system/server-disks.ts'
import { inTime } from './in-time.ts'
import { collectNodeMetrics } from './node-metrics.ts'

/** The current lag in milliseconds. Null if another process does this work. */
type Lag = () => number | null
/** What this process knows of a projector. */
interface WatchedProjector {
  /** The current lag in milliseconds, within a few seconds. */
  lag: () => Promise<number>
  parkedStreams: () => Promise<number>
  /** Whether this process projects. Otherwise it is a standby. */
  isActive: () => boolean
}

/** What is known of the disk, in bytes. */
interface DiskState {
  space: () => { free: number; size: number } | null
  isFull: () => boolean
  isDatabaseFull: () => boolean
}

/** How the event store responds to this process. */
interface StoreState {
  silentMs: () => number
  isOpen: () => boolean
}

type Registers = [Registry]

const seconds = (milliseconds: number | null): number | undefined =>
  milliseconds === null ? undefined : milliseconds / 1000

/** @param value  undefined while it is not known */
const presentGauge = (registers: Registers, name: string, help: string, value: () => number | undefined): Gauge =>
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const present = value()
      if (present === undefined) this.remove()
      else this.set(present)
    },
  })

const notificationMetrics = (registers: Registers) => {
  const notifications = new Counter({
    name: 'baoco_notifications_total',
    help: 'Notifications received, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const handedOver = new Counter({
    name: 'baoco_notifications_handed_over_total',
    help: 'Requests with notifications that this process handed over to the owner of their account: answered, or taken back because the owner was lost',
    labelNames: ['outcome'],
    registers,
  })
  return {
    notificationTaken: (outcome: string): void => notifications.inc({ outcome }),
    handedOver: (outcome: 'answered' | 'taken_back'): void => handedOver.inc({ outcome }),
  }
}

const attemptMetrics = (registers: Registers) => {
  const attempts = new Counter({
    name: 'baoco_attempts_total',
    help: 'Webhook calls, by outcome and reason',
    labelNames: ['outcome', 'error'],
    registers,
  })
  const recorded = new Counter({
    name: 'baoco_attempts_recorded_total',
    help: 'Attempts recorded in the event store',
    registers,
  })
  const duration = new Histogram({
    name: 'baoco_attempt_seconds',
    help: 'How long calls took',
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const sinceCapture = new Histogram({
    name: 'baoco_first_attempt_delay_seconds',
    help: 'From the capture of a transaction to its first call',
    buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 60],
    registers,
  })
  return {
    attempted: ({ attempt, attempt_id, outcome, error, duration_ms, since_capture_ms }: AttemptReport): void => {
      attempts.inc({ outcome: outcome ?? 'deleted', error: error ?? '' })
      if (attempt_id !== null) recorded.inc()
      duration.observe(duration_ms / 1000)
      if (attempt === 1) sinceCapture.observe(since_capture_ms / 1000)
    },
  }
}

const projectionMetrics = (registers: Registers) => {
  const watched = new Map<string, WatchedProjector>()
  new Gauge({
    name: 'baoco_projection_lag_seconds',
    help: 'How far the read models are behind; grows while no process projects them',
    labelNames: ['projector'],
    registers,
    async collect() {
      await Promise.all([...watched].map(async ([projector, { lag }]) => this.set({ projector }, (await lag()) / 1000)))
    },
  })
  new Gauge({
    name: 'baoco_projection_active',
    help: '1 in the process that projects, 0 in a standby',
    labelNames: ['projector'],
    registers,
    collect() {
      for (const [projector, { isActive }] of watched) this.set({ projector }, isActive() ? 1 : 0)
    },
  })
  new Gauge({
    name: 'baoco_parked_streams',
    help: 'Streams with an event that cannot be applied; see `baoco parked list`',
    labelNames: ['projector'],
    registers,
    async collect() {
      // While the database is down, the last number stays.
      await Promise.all(
        [...watched].map(async ([projector, { parkedStreams }]) => {
          const streams = await inTime(parkedStreams())
          if (streams !== null) this.set({ projector }, streams)
        }),
      )
    },
  })
  return {
    watchProjection: (name: string, projector: WatchedProjector): void => void watched.set(name, projector),
  }
}

const storeMetrics = (registers: Registers) => {
  let state: StoreState = { silentMs: () => 0, isOpen: () => false }
  presentGauge(
    registers,
    'baoco_event_store_silent_seconds',
    'How long calls of this process have waited without any answer from the event store',
    () => state.silentMs() / 1000,
  )
  presentGauge(
    registers,
    'baoco_event_store_refusing',
    '1 while requests are refused at once because the event store does not respond',
    () => (state.isOpen() ? 1 : 0),
  )
  const outages = new Counter({
    name: 'baoco_event_store_outages_total',
    help: 'Outages of the event store that this process noticed',
    registers,
  })
  const calls = new Histogram({
    name: 'baoco_event_store_call_seconds',
    help: 'How long calls of the event store took, including repetitions',
    labelNames: ['call'],
    buckets: [0.002, 0.005, 0.02, 0.1, 0.5, 2, 5, 10],
    registers,
  })
  return {
    watchStore: (watched: StoreState): void => void (state = watched),
    storeOutage: (): void => outages.inc(),
    storeCalled: (call: string, ms: number): void => calls.observe({ call }, ms / 1000),
  }
}

const diskMetrics = (registers: Registers) => {
  let state: DiskState = { space: () => null, isFull: () => false, isDatabaseFull: () => false }
  const ofDisk = (name: string, help: string, value: () => number | undefined) =>
    presentGauge(registers, name, help, value)
  ofDisk('baoco_disk_free_bytes', 'Free space on the disk of the embedded database', () => state.space()?.free)
  ofDisk('baoco_disk_size_bytes', 'Size of the disk of the embedded database', () => state.space()?.size)
  ofDisk('baoco_disk_full', '1 while nothing is accepted because the disk is full', () => (state.isFull() ? 1 : 0))
  new Gauge({
    name: 'baoco_server_disk_full',
    help: '1 while read models and deliveries wait because the disk of a server is full',
    labelNames: ['server'],
    registers,
    collect() {
      this.set({ server: 'postgres' }, state.isDatabaseFull() ? 1 : 0)
    },
  })

  let serverDisks: Pick<ServerDisks, 'measured'> = { measured: async () => [] }
  const ofServerDisks = (name: string, help: string, value: (space: DiskSpace) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['server'],
      registers,
      async collect() {
        const disks = await inTime(serverDisks.measured())
        this.reset()
        for (const { of, space } of disks ?? []) this.set({ server: of }, value(space))
      },
    })
  ofServerDisks('baoco_server_disk_free_bytes', 'Free space on the disk of a server', ({ free }) => free)
  ofServerDisks('baoco_server_disk_size_bytes', 'Size of the disk of a server', ({ size }) => size)
  return {
    watchDisk: (watched: DiskState): void => void (state = watched),
    watchServerDisks: (disks: Pick<ServerDisks, 'measured'>): void => void (serverDisks = disks),
  }
}

const mailboxMetrics = (registers: Registers) => {
  const held = new Gauge({
    name: 'baoco_mailboxes_held',
    help: 'Mailboxes that this process reads; others are read by another process',
    registers,
  })
  let failing: (() => Promise<number>) | null = null
  new Gauge({
    name: 'baoco_mailboxes_failing',
    help: 'Mailboxes of all users that cannot be read, reported by every process that projects',
    registers,
    async collect() {
      // While the database is down, the last number stays.
      const mailboxes = failing && (await inTime(failing()))
      if (mailboxes !== null) this.set(mailboxes)
    },
  })
  return {
    holdsMailboxes: (count: number): void => held.set(count),
    watchMailboxes: (count: () => Promise<number>): void => void (failing = count),
  }
}

/** The version, the clock, the leases, and the topic. */
const processMetrics = (registers: Registers) => {
  new Gauge({
    name: 'baoco_build_info',
    help: 'Always 1; the label is the version',
    labelNames: ['version'],
    registers,
  })
    .labels(VERSION)
    .set(1)
  let clockAhead: () => number | null = () => null
  presentGauge(
    registers,
    'baoco_clock_ahead_seconds',
    "By how much the clock of this process is ahead of the database's, within a minute; negative if it is behind",
    () => seconds(clockAhead()),
  )
  const leases = new Gauge({
    name: 'baoco_lease_held',
    help: '1 in the process that holds the lease of some work, 0 in a process that held it before',
    labelNames: ['lease'],
    registers,
  })
  let relayLag: Lag = () => null
  presentGauge(
    registers,
    'baoco_relay_lag_seconds',
    'How far the topic is behind the event store, reported by the process that relays',
    () => seconds(relayLag()),
  )
  return {
    watchClock: (ahead: () => number | null): void => void (clockAhead = ahead),
    holdsLease: (lease: string, isHeld: boolean): void => leases.set({ lease }, isHeld ? 1 : 0),
    watchRelay: (lag: Lag): void => void (relayLag = lag),
  }
}

export const openMetrics = () => {
  const registry = new Registry()
  collectNodeMetrics(registry)
  const registers: Registers = [registry]
  return {
    registry,
    ...processMetrics(registers),
    ...notificationMetrics(registers),
    ...attemptMetrics(registers),
    ...projectionMetrics(registers),
    ...storeMetrics(registers),
    ...diskMetrics(registers),
    ...mailboxMetrics(registers),
  }
}

export type Metrics = ReturnType<typeof openMetrics>
