/** Alerts the operator when little space is left on a disk: at 10 % and again at 5 %. */
import { ALERT_LEVELS, levelsOf, RESERVE_BYTES, shareFree, type DiskOwner, type OwnedDisk } from '../../domain/disk.ts'
import { inEach } from '../texts/texts.ts'
import { operatorWatch, type OperatorWatchParts } from './operator-watch.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchDiskParts extends OperatorWatchParts {
  /** The disks that can be measured now. */
  disks: () => Promise<readonly OwnedDisk[]>
  /** Disks that the settings do not let Baoco measure. Their alerts end. */
  unwatched: readonly DiskOwner[]
}

const EVERY_TEN_SECONDS = '3-59/10 * * * * *'
const MEGABYTE = 1024 ** 2

/** The subject of an alert. Alerts about the data folder do not name their disk, because those in older stores do not. */
const subjectOf = (of: DiskOwner, level: number): string =>
  of === 'data_folder' ? `disk:${level}` : `disk:${of}:${level}`

export const watchDisk = ({ disks, unwatched, ...parts }: WatchDiskParts): ScheduledJob => ({
  name: 'watch_disk',
  at: EVERY_TEN_SECONDS,
  run: operatorWatch(parts, 'disk_low', async ({ raise, end }) => {
    for (const disk of await disks()) {
      const { below, above } = levelsOf(disk.space)
      for (const level of below) await raise(subjectOf(disk.of, level), textOf(disk))
      for (const level of above) await end(subjectOf(disk.of, level))
    }
    for (const of of unwatched) for (const level of ALERT_LEVELS) await end(subjectOf(of, level))
  }),
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
