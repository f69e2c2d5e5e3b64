/**
 * Whether the disk is full. For the embedded database, the free space of the data folder's file system is measured. A server of the operator tells
 * only by its errors: its disk counts as full after such an error, until a write succeeds or some time has passed without one.
 */
import { statfs as statfsOf, type StatsFs } from 'node:fs'
import { promisify } from 'node:util'
import { isOutOfSpace, type DiskSpace } from '../../domain/disk.ts'
import { DiskFull, StoreUnavailable } from '../../domain/errors.ts'
import type { EventStore } from '../../domain/ports.ts'

/** SQLSTATE disk_full. */
const DISK_FULL = '53100'
const SQLSTATE = /^[\dA-Z]{5}$/
/** As operating systems say it. EventStoreDB passes their texts on. */
const IN_WORDS = /no space left on device|not enough space on the disk|disk quota exceeded/i

/** Whether an error of a server or of the file system says that a disk is full. */
export const isDiskFull = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  // Postgres quotes what a caller sent in some of its messages, so only its code counts.
  if (typeof code === 'string' && SQLSTATE.test(code)) return code === DISK_FULL
  return code === 'ENOSPC' || code === 'EDQUOT' || IN_WORDS.test(error.message)
}

const MEASURE_EVERY_MS = 1_000
/** After this time without another write, a server is tried again. */
const BELIEVED_MS = 30_000

export interface DiskChange {
  isFull: boolean
  space: DiskSpace | null
}

export interface DiskOptions {
  /** A folder on the disk of the embedded database; null if the servers are elsewhere. */
  folder: string | null
  /** Called when the disk becomes full, and when it has space again. */
  onChange?: (change: DiskChange) => void
  statfs?: (path: string) => Promise<StatsFs>
  /** Milliseconds that have passed. */
  elapsed?: () => number
}

export interface Disk {
  isFull(): boolean
  /** The newest measurement; null if nothing is measured. */
  space(): DiskSpace | null
  measure(): Promise<void>
  /** The store with errors that name a full disk. @param options.refuses  appends are refused without an attempt while too little is free */
  guard(store: EventStore, options: { refuses: boolean }): EventStore
  close(): void
}

export const openDisk = async ({
  folder,
  onChange = () => {},
  statfs = promisify(statfsOf),
  elapsed = () => performance.now(),
}: DiskOptions): Promise<Disk> => {
  let space: DiskSpace | null = null
  let failedAt: number | null = null
  let wasFull = false

  const isOut = (): boolean => space !== null && isOutOfSpace(space)
  const isFull = (): boolean => isOut() || (failedAt !== null && elapsed() - failedAt < BELIEVED_MS)
  const look = (): void => {
    if (isFull() === wasFull) return
    wasFull = !wasFull
    onChange({ isFull: wasFull, space })
  }
  const measure = async (): Promise<void> => {
    if (folder !== null) {
      // Postgres' user cannot use what is reserved for root.
      const { bavail, bfree, blocks, bsize } = await statfs(folder)
      space = { free: bavail * bsize, size: (blocks - bfree + bavail) * bsize }
    }
    look()
  }
  /** A folder that cannot be measured is no reason to refuse anything. */
  const measured = (): Promise<void> => measure().catch(() => void (space = null))

  /** The error that a caller gets: it names the disk if that is the cause. */
  const named = (error: unknown): unknown => {
    const isCause =
      error instanceof DiskFull || isDiskFull(error) || (error instanceof Error && isDiskFull(error.cause))
    if (isCause) {
      failedAt = elapsed()
      look()
      return error instanceof DiskFull ? error : new DiskFull(error)
    }
    // A Postgres without any space stops, and then does not respond.
    return error instanceof StoreUnavailable && isFull() ? new DiskFull(error) : error
  }
  const guarded = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (error) {
      throw named(error)
    }
  }

  await measured()
  const timer = setInterval(() => void measured(), MEASURE_EVERY_MS)
  timer.unref()
  return {
    isFull,
    space: () => space,
    measure,
    guard: (store, { refuses }) => ({
      ...store,
      append: (units) =>
        guarded(async () => {
          if (refuses && isOut()) throw new DiskFull()
          const results = await store.append(units)
          // A conflict writes nothing.
          if (results.some(({ ok }) => ok)) failedAt = null
          look()
          return results
        }),
      read: (slices) => guarded(() => store.read(slices)),
      readAll: (...asked) => guarded(() => store.readAll(...asked)),
      end: () => guarded(() => store.end()),
    }),
    close: () => clearInterval(timer),
  }
}
