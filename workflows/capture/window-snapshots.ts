// Tests: tests/integration/capture/window-snapshots.test.ts
/**
 * Snapshots of deduplication windows, so that a process that has not used a large window lately has it at once. The first entries of a
 * window at rest never change. So a snapshot is written part by part, while the window is used, and the next one has the same parts and a
 * few more.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as otherWork } from 'node:timers/promises'
import { DedupWindow, fullPartsFor, partsFor, type WindowState } from '../../domain/dedup/window.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore, Slice } from '../../domain/ports.ts'
import { isOf, WORTH_A_SNAPSHOT, type KeptSnapshot, type Snapshots } from '../support/snapshots.ts'
import type { WarmWindow } from './warm-windows.ts'

/** New notifications after which a snapshot is worth its costs: an eighth of the window, within these bounds. */
const [LEAST_NEW, MOST_NEW] = [500, 2_048]
/** With as many new events, a window in memory is out of date: another process has decided for its account for a while. */
const OUT_OF_DATE = 1_000
/** Reading an event takes as long as restoring this many entries. */
const ENTRIES_AN_EVENT = 16
/** Milliseconds between the starts of two snapshots of a process. A window that comes too early waits for its next notification. */
const APART_MS = 1_000

const nameOf = ({ bankCode }: WarmWindow): string => `book ${bankCode}`

const dueAfter = ({ window }: WarmWindow): number => Math.min(MOST_NEW, Math.max(LEAST_NEW, window.size / 8))

const isQuicker = ({ revision }: WarmWindow, kept: KeptSnapshot): boolean =>
  (kept.revision - revision) * ENTRIES_AN_EVENT > (kept.state as WindowState).size

/** Fills windows from their snapshots. */
const openRestoring = (snapshots: Snapshots, store: EventStore) => {
  /**
   * Fills a window from its snapshot, if that takes less time than reading the events. Later events must still be read.
   * @throws {StoreUnavailable}
   */
  const load = async (warm: WarmWindow): Promise<void> => {
    const kept = await snapshots.load(warm.userId, nameOf(warm))
    if (!kept || !isQuicker(warm, kept) || !(await isOf(store, warm.stream, kept))) return
    const window = await windowOf(warm, kept)
    if (window) warm.restored(window, kept)
  }

  /** The slice that brings a window up to date. For a window in memory, enough to see whether it is out of date. */
  const slice = (warm: WarmWindow): Slice => (warm.isBehind ? warm.slice() : { ...warm.slice(), limit: OUT_OF_DATE })

  /**
   * Fills a window that is out of date from its snapshot.
   * @param events  what was read of its slice
   * @returns all events after the window as it is then
   * @throws {StoreUnavailable}
   */
  const catchUp = async (warm: WarmWindow, events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> => {
    if (slice(warm).limit !== events.length) return events
    await load(warm)
    const [found = []] = await store.read([warm.slice()])
    return found
  }

  const windowOf = async (warm: WarmWindow, { state, parts }: KeptSnapshot): Promise<DedupWindow | null> => {
    const window = new DedupWindow()
    const read = snapshots.parts(warm.userId, nameOf(warm), parts)
    try {
      for await (const _ of window.restore(state as WindowState, read)) await otherWork()
      return window
    } catch {
      // Another process may have replaced it meanwhile.
      return null
    }
  }

  return { load, slice, catchUp }
}

/** Saves snapshots of windows, one at a time. */
const openSaving = (snapshots: Snapshots, store: EventStore, apartMs: number) => {
  const writer = randomUUID()
  let isSaving = false
  /** When the last one was started: milliseconds of `performance.now()`. */
  let startedAt = -Infinity

  /** Saves a snapshot in the background, if much is new. The window must be at rest now. */
  const offer = (warm: WarmWindow): void => {
    if (warm.revision - warm.offered < LEAST_NEW || warm.window.size < WORTH_A_SNAPSHOT) return
    if (warm.revision - warm.offered < dueAfter(warm) || warm.isStale || warm.lastId === null) return
    const now = performance.now()
    if (isSaving || now - startedAt < apartMs) return
    warm.offered = warm.revision
    isSaving = true
    startedAt = now
    const done = (): void => void (isSaving = false)
    // A failure is the store's, which reports its outages itself.
    void save(warm, warm.lastId, warm.window.snapshot()).then(done, done)
  }

  /** @throws {StoreUnavailable} */
  const save = async (warm: WarmWindow, event_id: string, state: WindowState): Promise<void> => {
    const { window, revision, saved, userId, stream } = warm
    const { numbering } = window
    const name = nameOf(warm)
    const kept = await snapshots.load(userId, name)
    if (kept && (await isEnough(warm, revision, kept))) return
    // Of its own parts, those that another process has not removed.
    const there = new Set(kept?.parts)
    const isContinued = saved !== null && saved.numbering === numbering && saved.parts.every((id) => there.has(id))
    const parts = isContinued ? [...saved.parts] : []
    const first = parts.length
    while (parts.length < partsFor(state.size)) parts.push(randomUUID())
    const added = function* (): Generator<[string, Uint8Array]> {
      // Once the entries have new numbers, the earlier parts are gone. Then the snapshot stays incomplete, and is not saved.
      for (let part = first; part < parts.length && window.numbering === numbering; part++)
        yield [parts[part]!, window.partOf(state.size, part)]
    }
    const snapshot = { revision, event_id, state, writer, parts, added: added() }
    const isSaved = await snapshots.save(userId, name, snapshot)
    // Meanwhile, the window may have been replaced by another one.
    if (warm.window === window)
      warm.saved = isSaved ? { numbering, parts: parts.slice(0, fullPartsFor(state.size)) } : null
    // The account may have been deleted meanwhile.
    if (isSaved && !(await isOf(store, stream, snapshot))) await snapshots.forget(userId, name)
  }

  /** Whether another process saves snapshots of this window. Both would replace each other's parts again and again. */
  const isEnough = async (warm: WarmWindow, revision: number, kept: KeptSnapshot): Promise<boolean> => {
    const isNew = kept.writer !== writer && revision - kept.revision < 2 * dueAfter(warm)
    return isNew && (await isOf(store, warm.stream, kept))
  }

  return { offer }
}

export const openWindowSnapshots = (snapshots: Snapshots, store: EventStore, { apartMs = APART_MS } = {}) => ({
  ...openRestoring(snapshots, store),
  ...openSaving(snapshots, store, apartMs),
})

export type WindowSnapshots = ReturnType<typeof openWindowSnapshots>
