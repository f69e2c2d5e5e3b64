// Tests: tests/chaos/store-went-back.test.ts
/**
 * The memory of a process about the event store, outside of it: the file `store-memory` in the data folder. With it, a start notices that an
 * older copy of the store is in place, even if everything else was restored with it. Losing the file has no other effect.
 */
import { join } from 'node:path'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { makeDataFolder } from './data-folder.ts'
import { readPrivateFile, replacePrivateFile, writePrivateFile } from './private-file.ts'

export interface StoreMemory {
  /** Identifies the store: positions of another one mean nothing. */
  store: string
  /** The newest known event; null if none is known. */
  newest: StorePosition | null
  /** The highest id that is known to be reserved. */
  ids: number
  /** The transactions that were captured last, as far as this process has seen them. */
  transactions: readonly number[]
}

const KEEP_EVERY_MS = 5_000
/** Transactions in the file. */
const MOST_KEPT = 2_000

const pathIn = (dataDir: string): string => join(dataDir, 'store-memory')

/** @returns null if nothing is remembered of this store */
export const loadStoreMemory = (dataDir: string, store: string): StoreMemory | null => {
  try {
    const memory = JSON.parse(readPrivateFile(pathIn(dataDir)) ?? 'null') as StoreMemory | null
    return memory?.store === store ? memory : null
  } catch {
    return null
  }
}

/**
 * Keeps what is known, every few seconds and at the end. Begin after the store was compared with what is remembered.
 * @param now  what is known at the moment; null while there is nothing to remember
 * @returns a function that ends it
 */
export const keepStoreMemory = (dataDir: string, now: () => StoreMemory | null): (() => void) => {
  const path = pathIn(dataDir)
  let kept = ''
  const keep = (write = replacePrivateFile): void => {
    const memory = now()
    const text = memory && `${JSON.stringify({ ...memory, transactions: memory.transactions.slice(-MOST_KEPT) })}\n`
    if (text === null || text === kept) return
    try {
      makeDataFolder(dataDir)
      write(path, text)
      kept = text
    } catch {
      // A container may have no folder that it may write to. Then only the running process remembers.
    }
  }
  // A wait for the disk would hold up everything in this process.
  const timer = setInterval(() => keep(), KEEP_EVERY_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    keep(writePrivateFile)
  }
}
