// Tests: tests/unit/adapters/telemetry/metrics.test.ts
/** Baoco's Prometheus metrics. Labels never contain text that a user or a stranger wrote. */
import { VERSION } from '../system/version.ts'
import { Registry } from 'prom-client'
import type { DiskSpace } from '../../domain/disk.ts'
import type { AttemptReport } from '../../workflows/deliver/attempts.ts'
import type { ServerDisks } from '../system/server-disks.ts'
import { inTime } from './in-time.ts'
import { collectNodeMetrics } from './node-metrics.ts'
import { instruments, type Instruments } from './instruments.ts'

/** The current lag in milliseconds. Null if another process does this work. */
type Lag = () => number | null
/** A projector, as far as this process knows it. */
interface WatchedProjector {
  /** The current lag in milliseconds, within a few seconds. Null while it is not known. */
  lag: () => Promise<number | null>
  parkedStreams: () => Promise<number>
  /** Whether this process projects. Otherwise it is a standby. */
  isActive: () => boolean
}

/** While the lag is not known, it grows from the one that was known last. */
const growing = (lag: WatchedProjector['lag']): WatchedProjector['lag'] => {
  let known = { lag: 0, at: performance.now() }
  return async () => {
    const present = await lag()
    if (present === null) return known.lag + performance.now() - known.at
    known = { lag: present, at: performance.now() }
    return present
  }
}

/** The disk, in bytes. */
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

const seconds = (milliseconds: number | null): number | undefined =>
  milliseconds === null ? undefined : milliseconds / 1000

const notificationMetrics = ({ counter }: Instruments) => {
  const notifications = counter('baoco_notifications_total', 'Notifications received, by outcome', ['outcome'])
  const handedOver = counter(
    'baoco_notifications_handed_over_total',
    'Requests with notifications that this process handed over to the owner of their account: answered, or taken back because the owner was lost',
    ['outcome'],
  )
  return {
    notificationTaken: (outcome: string): void => notifications.inc({ outcome }),
    handedOver: (outcome: 'answered' | 'taken_back'): void => handedOver.inc({ outcome }),
  }
}

const attemptMetrics = ({ counter, histogram }: Instruments) => {
  const attempts = counter('baoco_attempts_total', 'Webhook calls, by outcome and reason', ['outcome', 'error'])
  const recorded = counter('baoco_attempts_recorded_total', 'Attempts recorded in the event store')
  const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  const duration = histogram('baoco_attempt_seconds', 'How long calls took', buckets)
  const sinceCapture = histogram(
    'baoco_first_attempt_delay_seconds',
    'From the capture of a transaction to its first call',
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 60],
  )
  return {
    attempted: ({ attempt, attempt_id, outcome, error, duration_ms, since_capture_ms }: AttemptReport): void => {
      attempts.inc({ outcome: outcome ?? 'deleted', error: error ?? '' })
      if (attempt_id !== null) recorded.inc()
      duration.observe(duration_ms / 1000)
      if (attempt === 1) sinceCapture.observe(since_capture_ms / 1000)
    },
  }
}

const projectionMetrics = ({ gauge }: Instruments) => {
  const watched = new Map<string, WatchedProjector>()
  /** @param value  null: the last number stays */
  const ofEach = (name: string, help: string, value: (of: WatchedProjector) => Promise<number | null>) =>
    gauge(name, help, ['projector'], async (of) => {
      const set = async ([projector, each]: [string, WatchedProjector]) => {
        const present = await value(each)
        if (present !== null) of.set({ projector }, present)
      }
      await Promise.all([...watched].map(set))
    })
  ofEach(
    'baoco_projection_lag_seconds',
    'How far the read models are behind; grows while no process projects them, or a server is away',
    async ({ lag }) => seconds(await lag()) ?? null,
  )
  ofEach('baoco_projection_active', '1 in the process that projects, 0 in a standby', async ({ isActive }) =>
    isActive() ? 1 : 0,
  )
  // While the database is down, the last number stays.
  ofEach(
    'baoco_parked_streams',
    'Streams with an event that cannot be applied; see `baoco parked list`',
    ({ parkedStreams }) => inTime(parkedStreams()),
  )
  return {
    watchProjection: (name: string, projector: WatchedProjector): void =>
      void watched.set(name, { ...projector, lag: growing(projector.lag) }),
  }
}

const storeMetrics = ({ counter, histogram, present }: Instruments) => {
  let state: StoreState = { silentMs: () => 0, isOpen: () => false }
  present(
    'baoco_event_store_silent_seconds',
    'How long calls of this process have waited without any answer from the event store',
    () => state.silentMs() / 1000,
  )
  present(
    'baoco_event_store_refusing',
    '1 while requests are refused at once because the event store does not respond',
    () => (state.isOpen() ? 1 : 0),
  )
  const outages = counter('baoco_event_store_outages_total', 'Outages of the event store that this process noticed')
  const calls = histogram(
    'baoco_event_store_call_seconds',
    'How long calls of the event store took, including repetitions',
    [0.002, 0.005, 0.02, 0.1, 0.5, 2, 5, 10],
    ['call'],
  )
  return {
    watchStore: (watched: StoreState): void => void (state = watched),
    storeOutage: (): void => outages.inc(),
    storeCalled: (call: string, ms: number): void => calls.observe({ call }, ms / 1000),
  }
}

const diskMetrics = ({ gauge, present }: Instruments) => {
  let state: DiskState = { space: () => null, isFull: () => false, isDatabaseFull: () => false }
  present('baoco_disk_free_bytes', 'Free space on the disk of the embedded database', () => state.space()?.free)
  present('baoco_disk_size_bytes', 'Size of the disk of the embedded database', () => state.space()?.size)
  present('baoco_disk_full', '1 while nothing is accepted because the disk is full', () => (state.isFull() ? 1 : 0))
  gauge(
    'baoco_server_disk_full',
    '1 while read models and deliveries wait because the disk of a server is full',
    ['server'],
    (of) => of.set({ server: 'postgres' }, state.isDatabaseFull() ? 1 : 0),
  )

  let serverDisks: Pick<ServerDisks, 'measured'> = { measured: async () => [] }
  const ofServerDisks = (name: string, help: string, value: (space: DiskSpace) => number) =>
    gauge(name, help, ['server'], async (shown) => {
      const disks = await inTime(serverDisks.measured())
      shown.reset()
      for (const { of, space } of disks ?? []) shown.set({ server: of }, value(space))
    })
  ofServerDisks('baoco_server_disk_free_bytes', 'Free space on the disk of a server', ({ free }) => free)
  ofServerDisks('baoco_server_disk_size_bytes', 'Size of the disk of a server', ({ size }) => size)
  return {
    watchDisk: (watched: DiskState): void => void (state = watched),
    watchServerDisks: (disks: Pick<ServerDisks, 'measured'>): void => void (serverDisks = disks),
  }
}

const mailboxMetrics = ({ gauge }: Instruments) => {
  const held = gauge('baoco_mailboxes_held', 'Mailboxes that this process reads; others are read by another process')
  let failing: (() => Promise<number>) | null = null
  gauge(
    'baoco_mailboxes_failing',
    'Mailboxes of all users that cannot be read, reported by every process that projects',
    [],
    async (of) => {
      // While the database is down, the last number stays.
      const mailboxes = failing && (await inTime(failing()))
      if (mailboxes !== null) of.set(mailboxes)
    },
    // Other processes leave it out.
  ).remove()
  return {
    holdsMailboxes: (count: number): void => held.set(count),
    watchMailboxes: (count: () => Promise<number>): void => void (failing = count),
  }
}

/** The version, the clock, the leases, and the topic. */
const processMetrics = ({ gauge, present }: Instruments) => {
  gauge('baoco_build_info', 'Always 1; the label is the version', ['version']).labels(VERSION).set(1)
  let clockAhead: () => number | null = () => null
  present(
    'baoco_clock_ahead_seconds',
    "By how much the clock of this process is ahead of the database's, within a minute; negative if it is behind",
    () => seconds(clockAhead()),
  )
  const leases = gauge(
    'baoco_lease_held',
    '1 in the process that holds the lease of some work, 0 in a process that held it before',
    ['lease'],
  )
  let relayLag: Lag = () => null
  present(
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
  const of = instruments(registry)
  return {
    registry,
    ...processMetrics(of),
    ...notificationMetrics(of),
    ...attemptMetrics(of),
    ...projectionMetrics(of),
    ...storeMetrics(of),
    ...diskMetrics(of),
    ...mailboxMetrics(of),
  }
}

export type Metrics = ReturnType<typeof openMetrics>
