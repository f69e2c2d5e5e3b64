/**
 * Whether the disk is full. For the embedded database, the free space of the data folder's file system is measured. A server of the operator shows it
 * only by its errors. After such an error its disk counts as full, until a write succeeds or some time has passed without another error. The event store
 * and the database of the read models may be on different servers, so their errors are kept apart: only a full event store stops receiving.
 */
import { statfs as statfsOf, type StatsFs } from 'node:fs'
import { promisify } from 'node:util'
import { isOutOfSpace, type DiskSpace } from '../../domain/disk.ts'
import { DiskFull, StoreUnavailable } from '../../domain/errors.ts'
import type { EventStore } from '../../domain/ports.ts'
import { eachCall } from './each-call.ts'

/** SQLSTATE disk_full. */
const DISK_FULL = '53100'
const SQLSTATE = /^[\dA-Z]{5}$/
/** As operating systems say it. EventStoreDB passes their texts on. */
const IN_WORDS = /no space left on device|not enough space on the disk|disk quota exceeded/i
/** SQLSTATE internal_error. Postgres has no code for a quota, and before version 17 none for this file, which a new connection writes. */
const INTERNAL = 'XX000'
const WITHOUT_CODE = /^could not write init file$|: Disk quota exceeded$/

/** Whether an error of a server or of the file system says that a disk is full. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  // Postgres quotes what a caller sent in some of its messages, so only its code counts.
  if (typeof code === 'string' && SQLSTATE.test(code))
    return code === DISK_FULL || (code === INTERNAL && WITHOUT_CODE.test(error.message))
  return code === 'ENOSPC' || code === 'EDQUOT' || IN_WORDS.test(error.message)
}

const MEASURE_EVERY_MS = 1_000
/** After this time without another write, a server is tried again. */
const BELIEVED_MS = 30_000

export interface DiskChange {
  isFull: boolean
  /** `database`: the disk of the server that has the read models. */
  of: 'store' | 'database'
  space: DiskSpace | null
  /** The measured disk has no inode left, so it takes no new file, however many bytes are free. */
  isOutOfInodes: boolean
}

export interface DiskOptions {
  /** A folder on the disk of the embedded database; null if the servers are elsewhere. */
  folder: string | null
  /** Whether a failure says that the read models' server has ended or accepts no connection. */
  isLost?: (error: unknown) => boolean
  /** Called when a disk becomes full, and when it has space again. */
  onChange?: (change: DiskChange) => void
  statfs?: (path: string) => Promise<StatsFs>
  /** Milliseconds that have passed. */
  elapsed?: () => number
}

export interface Disk {
  /** Nothing is accepted. */
  isFull(): boolean
  /** Read models and deliveries wait, because the operator's Postgres has no space. */
  isDatabaseFull(): boolean
  /** Takes a failure of the read models' database. @returns whether the cause is a full disk, which `onChange` reports */
  databaseFailed(error: unknown): boolean
  /** The newest measurement; null if nothing is measured. */
  space(): DiskSpace | null
  measure(): Promise<void>
  /** The store with errors that name a full disk. @param options.refuses  appends are refused without an attempt while too little is free */
  guard(store: EventStore, options: { refuses: boolean }): EventStore
  close(): void
}

export const openDisk = async ({
  folder,
  isLost = () => false,
  onChange = () => {},
  statfs = promisify(statfsOf),
  elapsed = () => performance.now(),
}: DiskOptions): Promise<Disk> => {
  let space: DiskSpace | null = null
  let isOutOfInodes = false
  const failedAt = { store: -Infinity, database: -Infinity }
  const was = { store: false, database: false }

  const isOut = (): boolean => space !== null && isOutOfSpace(space)
  const hasFailed = (of: DiskChange['of']): boolean => elapsed() - failedAt[of] < BELIEVED_MS
  const isFull = (): boolean => isOut() || hasFailed('store')
  const look = (): void => {
    for (const [of, full] of [
      ['store', isFull()],
      ['database', hasFailed('database')],
    ] as const) {
      if (full === was[of]) continue
      was[of] = full
      onChange({ isFull: full, of, space, isOutOfInodes })
    }
  }
  const measure = async (): Promise<void> => {
    if (folder !== null) {
      // Postgres' user cannot use what is reserved for root.
      const { bavail, bfree, blocks, bsize, files, ffree } = await statfs(folder)
      space = { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize }
      // A file system without a limit reports no inodes at all.
      isOutOfInodes = files > 0 && ffree === 0
    }
    look()
  }
  /** If a folder cannot be measured, nothing is refused. */
  const measured = (): Promise<void> => measure().catch(() => void (space = null))

  /** The error that a caller gets: it names the disk if that is the cause. */
  const named = (error: unknown): unknown => {
    const isCause =
      error instanceof DiskFull || isDiskFull(error) || (error instanceof Error && isDiskFull(error.cause))
    if (isCause) {
      failedAt.store = elapsed()
      look()
      return error instanceof DiskFull ? error : new DiskFull(error)
    }
    // A Postgres without any space stops, and then does not respond.
    return error instanceof StoreUnavailable && isFull() ? new DiskFull(error) : error
  }
  await measured()
  const timer = setInterval(() => void measured(), MEASURE_EVERY_MS)
  timer.unref()
  return {
    isFull,
    isDatabaseFull: () => hasFailed('database'),
    databaseFailed: (error) => {
      const isCause = isDiskFull(error)
      // The disk of the embedded one is measured.
      if (folder !== null) return isCause && isFull()
      // A Postgres without any space ends, and its operator must still see why.
      if (isCause || (hasFailed('database') && isLost(error))) failedAt.database = elapsed()
      look()
      return isCause
    },
    space: () => space,
    measure,
    guard: (store, { refuses }) => {
      const append: EventStore['append'] = async (units) => {
        if (refuses && isOut()) throw new DiskFull()
        const results = await store.append(units)
        // A conflict writes nothing.
        if (results.some(({ ok }) => ok)) failedAt.store = -Infinity
        look()
        return results
      }
      return eachCall({ ...store, append }, async (call) => {
        try {
          return await call()
        } catch (error) {
          throw named(error)
        }
      })
    },
    close: () => clearInterval(timer),
  }
}
