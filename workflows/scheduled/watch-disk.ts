// Tests: tests/integration/full-disk.test.ts
/** Alerts the operator when little space is left on the disk of the embedded database: at 10 % and again at 5 %. */
import { randomUUID } from 'node:crypto'
import { levelsOf, RESERVE_BYTES, shareFree, type DiskSpace } from '../../domain/disk.ts'
import type { Clock } from '../../domain/ports.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchDiskParts {
  /** null if there is nothing to measure */
  space: () => DiskSpace | null
  /** The operator's account; null while there is none. */
  operator: () => Promise<number | null>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_TEN_SECONDS = '*/10 * * * * *'
const MEGABYTE = 1024 ** 2

export const watchDisk = ({ space: measured, operator, alerts, clock }: WatchDiskParts): ScheduledJob => ({
  name: 'watch_disk',
  at: EVERY_TEN_SECONDS,
  run: async () => {
    const space = measured()
    const user_id = space && (await operator())
    if (space === null || user_id === null) return null
    const look = randomUUID()
    const now = clock.now().toISOString()
    const of = (level: number) =>
      ({ user_id, kind: 'disk_low', subject: `disk:${level}`, causation_id: look, correlation_id: look }) as const
    const { below, above } = levelsOf(space)
    let raised = 0
    for (const level of below)
      if ((await alerts.raise({ ...of(level), text: textOf(space), since: now })).checkpoint) raised++
    let ended = 0
    for (const level of above) if ((await alerts.end({ ...of(level), until: now })).checkpoint) ended++
    return raised + ended > 0 ? { raised, ended } : null
  },
})

const textOf = (space: DiskSpace) =>
  inEach(({ alerts }) => alerts.diskLow(Math.round(space.free / MEGABYTE), shareFree(space), RESERVE_BYTES / MEGABYTE))
