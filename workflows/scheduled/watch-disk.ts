/** Alerts the operator when little space is left on a disk: at 10 % and again at 5 %. */
import { randomUUID } from 'node:crypto'
import { ALERT_LEVELS, levelsOf, RESERVE_BYTES, shareFree, type DiskOwner, type OwnedDisk } from '../../domain/disk.ts'
import type { Clock } from '../../domain/ports.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchDiskParts {
  /** What could be measured now. */
  disks: () => Promise<readonly OwnedDisk[]>
  /** Disks that the settings do not let Baoco measure. Their alerts end. */
  unwatched: readonly DiskOwner[]
  /** The operator's account; null while there is none. */
  operator: () => Promise<number | null>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_TEN_SECONDS = '*/10 * * * * *'
const MEGABYTE = 1024 ** 2

/** That of the data folder has no name, because it was the first. */
const subjectOf = (of: DiskOwner, level: number): string =>
  of === 'data_folder' ? `disk:${level}` : `disk:${of}:${level}`

export const watchDisk = ({ disks, unwatched, operator, alerts, clock }: WatchDiskParts): ScheduledJob => ({
  name: 'watch_disk',
  at: EVERY_TEN_SECONDS,
  run: async () => {
    const user_id = await operator()
    if (user_id === null) return null
    const look = randomUUID()
    const now = clock.now().toISOString()
    const about = (of: DiskOwner, level: number) =>
      ({ user_id, kind: 'disk_low', subject: subjectOf(of, level), causation_id: look, correlation_id: look }) as const
    let raised = 0
    let ended = 0
    const raise = async (disk: OwnedDisk, level: number): Promise<void> => {
      if ((await alerts.raise({ ...about(disk.of, level), text: textOf(disk), since: now })).checkpoint) raised++
    }
    const end = async (of: DiskOwner, level: number): Promise<void> => {
      if ((await alerts.end({ ...about(of, level), until: now })).checkpoint) ended++
    }
    for (const disk of await disks()) {
      const { below, above } = levelsOf(disk.space)
      for (const level of below) await raise(disk, level)
      for (const level of above) await end(disk.of, level)
    }
    for (const of of unwatched) for (const level of ALERT_LEVELS) await end(of, level)
    return raised + ended > 0 ? { raised, ended } : null
  },
})

const NAMES = { postgres: 'Postgres', event_store: 'EventStoreDB' } as const

const textOf = ({ of, space, place }: OwnedDisk) =>
  inEach(({ alerts }) => {
    const free = Math.round(space.free / MEGABYTE)
    const share = shareFree(space)
    return of === 'data_folder'
      ? alerts.diskLow(free, share, RESERVE_BYTES / MEGABYTE)
      : alerts.serverDiskLow(NAMES[of], place, free, share)
  })
