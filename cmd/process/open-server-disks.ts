// Tests: tests/integration/server-disks.test.ts
/** The disk that must have space, the disks of the servers that the settings name, as far as they can be measured, and what is watched of all disks. */
import type { Database } from '../../adapters/database/database.ts'
import type { RememberingStore } from '../../adapters/event-store/history.ts'
import { databaseDisk } from '../../adapters/postgres/ops/database-disk.ts'
import { openServerDisks, type Measure, type ServerDisks } from '../../adapters/system/server-disks.ts'
import type { LogLines } from '../../domain/ports.ts'
import { isConnectionLost, portIn } from '../../adapters/database/connection-lost.ts'
import { openDisk, type Disk, type DiskChange } from '../../adapters/system/disk.ts'
import type { DiskOwner, OwnedDisk } from '../../domain/disk.ts'
import type { WatchDiskParts } from '../../workflows/scheduled/watch-disk.ts'
import type { Settings } from '../settings/settings.ts'

/** A server that is that slow is not measured. */
const WITHIN_MS = 5_000

interface Parts {
  settings: Pick<Settings, 'databaseDiskGb'>
  database: Pick<Database, 'within'>
  store: Pick<RememberingStore, 'disk'>
  log: Pick<LogLines, 'warn'>
}

export const serverDisks = ({ settings: { databaseDiskGb }, database, store, log }: Parts): ServerDisks => {
  const measures: Partial<Record<DiskOwner, Measure>> = {}
  if (databaseDiskGb !== undefined) {
    const measure = databaseDisk(database.within(WITHIN_MS), databaseDiskGb)
    measures.postgres = async () => ({ space: await measure(), place: null })
  }
  if (store.disk) measures.event_store = store.disk
  return openServerDisks({
    measures,
    onFailure: (server, { message }) => log.warn({ server, reason: message }, 'disk.not_measured'),
  })
}

const OWNERS: readonly DiskOwner[] = ['data_folder', 'postgres', 'event_store']

/** The disks that `watchDisk` checks. @param disk  of the data folder; it has no space if the database is a server */
export const watchedDisks = (
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  disk: Pick<Disk, 'space'>,
  servers: ServerDisks,
): Pick<WatchDiskParts, 'disks' | 'unwatched'> => {
  const watched = new Set<DiskOwner>([
    ...servers.watched,
    ...(databaseUrl === undefined ? ['data_folder' as const] : []),
  ])
  const dataFolder = (): OwnedDisk[] => {
    const space = disk.space()
    return space ? [{ of: 'data_folder', space, place: null }] : []
  }
  return {
    disks: async () => [...dataFolder(), ...(await servers.measured())],
    unwatched: OWNERS.filter((of) => !watched.has(of)),
  }
}

/** One line when a disk becomes full, and one when it has space again. */
const diskLines =
  (log: Pick<LogLines, 'error' | 'info'>) =>
  ({ isFull, of, space, isOutOfInodes }: DiskChange): void => {
    const missing = isFull && isOutOfInodes && { reason: 'no inodes are free' }
    const fields = of === 'database' ? { server: 'postgres' } : { ...space, ...missing }
    log[isFull ? 'error' : 'info'](fields, isFull ? 'disk.full' : 'disk.has_space')
  }

/** @param url  of the database */
export const diskOf = (
  { databaseUrl, dataDir }: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  url: string,
  log: Pick<LogLines, 'error' | 'info'>,
): Promise<Disk> =>
  openDisk({
    folder: databaseUrl === undefined ? dataDir : null,
    isLost: (error) => isConnectionLost(error, portIn(url)),
    onChange: diskLines(log),
  })
