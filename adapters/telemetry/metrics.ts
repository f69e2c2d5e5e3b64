// Tests: tests/integration/delivery/metrics.test.ts
/** Baoco's Prometheus metrics. Labels never contain text that a user or a stranger wrote. */
import { VERSION } from '../system/version.ts'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { DiskSpace } from '../../domain/disk.ts'
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

export const openMetrics = () => {
  const registers = [new Registry()]
  const registry = registers[0]!
  collectNodeMetrics(registry)

  new Gauge({
    name: 'baoco_build_info',
    help: 'Always 1; the label is the version',
    labelNames: ['version'],
    registers,
  })
    .labels(VERSION)
    .set(1)
  const notifications = new Counter({
    name: 'baoco_notifications_total',
    help: 'Notifications received, by outcome',
    labelNames: ['outcome'],
    registers,
  })
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

  let storeState: StoreState = { silentMs: () => 0, isOpen: () => false }
  new Gauge({
    name: 'baoco_event_store_silent_seconds',
    help: 'How long calls of this process have waited without any answer from the event store',
    registers,
    collect() {
      this.set(storeState.silentMs() / 1000)
    },
  })
  new Gauge({
    name: 'baoco_event_store_refusing',
    help: '1 while requests are refused at once because the event store does not respond',
    registers,
    collect() {
      this.set(storeState.isOpen() ? 1 : 0)
    },
  })
  const outages = new Counter({
    name: 'baoco_event_store_outages_total',
    help: 'Outages of the event store that this process noticed',
    registers,
  })

  /** @param value  undefined while it is not known */
  const ofPresent = (name: string, help: string, value: () => number | undefined): Gauge =>
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
  const seconds = (milliseconds: number | null): number | undefined =>
    milliseconds === null ? undefined : milliseconds / 1000

  let diskState: DiskState = { space: () => null, isFull: () => false, isDatabaseFull: () => false }
  ofPresent('baoco_disk_free_bytes', 'Free space on the disk of the embedded database', () => diskState.space()?.free)
  ofPresent('baoco_disk_size_bytes', 'Size of the disk of the embedded database', () => diskState.space()?.size)
  ofPresent('baoco_disk_full', '1 while nothing is accepted because the disk is full', () =>
    diskState.isFull() ? 1 : 0,
  )
  new Gauge({
    name: 'baoco_server_disk_full',
    help: '1 while read models and deliveries wait because the disk of a server is full',
    labelNames: ['server'],
    registers,
    collect() {
      this.set({ server: 'postgres' }, diskState.isDatabaseFull() ? 1 : 0)
    },
  })

  let clockAhead: () => number | null = () => null
  ofPresent(
    'baoco_clock_ahead_seconds',
    "By how much the clock of this process is ahead of the database's, within a minute; negative if it is behind",
    () => seconds(clockAhead()),
  )

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

  const storeCalls = new Histogram({
    name: 'baoco_event_store_call_seconds',
    help: 'How long calls of the event store took, including repetitions',
    labelNames: ['call'],
    buckets: [0.002, 0.005, 0.02, 0.1, 0.5, 2, 5, 10],
    registers,
  })

  const mailboxes = new Gauge({
    name: 'baoco_mailboxes_held',
    help: 'Mailboxes that this process reads; others are read by another process',
    registers,
  })
  let failingMailboxes: (() => Promise<number>) | null = null
  new Gauge({
    name: 'baoco_mailboxes_failing',
    help: 'Mailboxes of all users that cannot be read, reported by every process that projects',
    registers,
    async collect() {
      // While the database is down, the last number stays.
      const mailboxes = failingMailboxes && (await inTime(failingMailboxes()))
      if (mailboxes !== null) this.set(mailboxes)
    },
  })

  const leases = new Gauge({
    name: 'baoco_lease_held',
    help: '1 in the process that holds the lease of some work, 0 in a process that held it before',
    labelNames: ['lease'],
    registers,
  })

  const handedOver = new Counter({
    name: 'baoco_notifications_handed_over_total',
    help: 'Requests with notifications that this process handed over to the owner of their account: answered, or taken back because the owner was lost',
    labelNames: ['outcome'],
    registers,
  })

  let relayLag: Lag = () => null
  ofPresent(
    'baoco_relay_lag_seconds',
    'How far the topic is behind the event store, reported by the process that relays',
    () => seconds(relayLag()),
  )

  return {
    registry,
    watchRelay: (lag: Lag): void => void (relayLag = lag),
    watchStore: (state: StoreState): void => void (storeState = state),
    watchDisk: (state: DiskState): void => void (diskState = state),
    watchServerDisks: (disks: Pick<ServerDisks, 'measured'>): void => void (serverDisks = disks),
    storeCalled: (call: string, ms: number): void => storeCalls.observe({ call }, ms / 1000),
    storeOutage: (): void => outages.inc(),
    watchClock: (ahead: typeof clockAhead): void => void (clockAhead = ahead),
    watchProjection: (name: string, projector: WatchedProjector): void => void watched.set(name, projector),
    watchMailboxes: (failing: () => Promise<number>): void => void (failingMailboxes = failing),
    holdsLease: (lease: string, isHeld: boolean): void => leases.set({ lease }, isHeld ? 1 : 0),
    holdsMailboxes: (count: number): void => mailboxes.set(count),
    handedOver: (outcome: 'answered' | 'taken_back'): void => handedOver.inc({ outcome }),
    notificationTaken: (outcome: string): void => notifications.inc({ outcome }),
    attempted: (attempt: {
      attempt: number
      attempt_id: number | null
      outcome: string | null
      error: string | null
      duration_ms: number
      since_capture_ms: number
    }): void => {
      attempts.inc({ outcome: attempt.outcome ?? 'deleted', error: attempt.error ?? '' })
      if (attempt.attempt_id !== null) recorded.inc()
      duration.observe(attempt.duration_ms / 1000)
      if (attempt.attempt === 1) sinceCapture.observe(attempt.since_capture_ms / 1000)
    },
  }
}

export type Metrics = ReturnType<typeof openMetrics>
