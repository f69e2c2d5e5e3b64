// Tests: tests/integration/http/stream.test.ts
/**
 * Sends events live to listeners. A process has one subscription to the store. An event is passed on after the read
 * models have it, so that listeners can query the details. The subscription begins with the first listener. It
 * remembers the newest events. A listener that was away for longer than that receives a notice and must reload its
 * page.
 */
import type { StoredEvent } from '../../domain/parse-event.ts'
import { INSTALLATION_STREAM } from '../../domain/installation.ts'
import type { Checkpoint, EventStore, ReadModels } from '../../domain/ports.ts'
import { endsListening, liveUpdateOf, type LiveUpdate } from './updates.ts'

/** Number of remembered events, of all users. */
const REMEMBERED = 5_000
/** Read models that are further behind than this (milliseconds) are not waited for. */
const BEHIND_MS = 5_000
const BEGIN_AGAIN_MS = 1_000

const PREFIXES = ['account-', 'alerts-', 'transaction-', 'unread-', 'ignored-']

export interface PositionedUpdate {
  checkpoint: Checkpoint
  update: LiveUpdate
}

export interface Listener {
  receive(positioned: PositionedUpdate): void
  /** No more events follow. `bye`: the process stops. `credentials`: the listener must authenticate again. */
  end(reason: 'bye' | 'credentials'): void
}

export interface Feed {
  /** Identifies the store that a checkpoint belongs to. */
  epoch(): Promise<string>
  /**
   * Starts listening, until it is stopped.
   * @param after  the last event that the listener received; null: none yet
   * @returns what it missed; null if that is too long ago, or belongs to another store
   */
  listen(
    userId: number,
    after: Checkpoint | null,
    listener: Listener,
  ): Promise<{ missed: PositionedUpdate[] | null; stop(): void }>
  close(): Promise<void>
}

export interface FeedParts {
  store: EventStore
  readModels: ReadModels
  onFailure?: (error: unknown) => void
}

type Remembered = PositionedUpdate & { user_id: number }

export const openFeed = ({ store, readModels, onFailure = () => {} }: FeedParts): Feed => {
  const listeners = new Map<number, Set<Listener>>()
  const closing = new AbortController()
  let remembered: Remembered[] = []
  /** Events after this position are remembered. */
  let since: Checkpoint | null = null
  let running: Promise<void> | null = null
  let began: Promise<void> | null = null
  let epoch: Promise<string> | null = null

  const hand = (event: StoredEvent): void => {
    const { user_id } = event.metadata
    const update = user_id === null ? null : liveUpdateOf(event)
    if (user_id === null || update === null) return
    const positioned = { checkpoint: event.checkpoint, update }
    remembered.push({ ...positioned, user_id })
    for (const listener of listeners.get(user_id) ?? []) listener.receive(positioned)
    if (!endsListening(event)) return
    for (const listener of listeners.get(user_id) ?? []) listener.end('credentials')
    listeners.delete(user_id)
  }

  const follow = async (): Promise<void> => {
    const { signal } = closing
    for await (const { events, checkpoint } of store.subscribe({ after: since, prefixes: PREFIXES, signal })) {
      if (events.length > 0) await readModels.passed(checkpoint, BEHIND_MS)
      for (const event of events) hand(event)
      if (remembered.length <= 2 * REMEMBERED) continue
      const forgotten = remembered.length - REMEMBERED
      since = remembered[forgotten - 1]!.checkpoint
      remembered = remembered.slice(forgotten)
    }
  }

  const begin = async (): Promise<void> => {
    since = await store.end()
    running = (async () => {
      while (!closing.signal.aborted) {
        try {
          await follow()
        } catch (error) {
          onFailure(error)
          // Events may be lost now. So the remembered ones are dropped, and listeners learn this when they reconnect.
          remembered = []
          await new Promise((resolve) => setTimeout(resolve, BEGIN_AGAIN_MS).unref())
          since = await store.end().catch(() => since)
        }
      }
    })()
  }

  const missedBy = (userId: number, after: Checkpoint): PositionedUpdate[] | null => {
    try {
      if (since !== null && store.isAfter(since, after)) return null
      return remembered.filter(({ user_id, checkpoint }) => user_id === userId && store.isAfter(checkpoint, after))
    } catch {
      return null // not a checkpoint of this store
    }
  }

  /** The listener has events that the store has lost. */
  const isBeyondEnd = async (after: Checkpoint): Promise<boolean> => {
    const end = await store.end()
    try {
      return end === null || store.isAfter(after, end)
    } catch {
      return true // not a checkpoint of this store
    }
  }

  return {
    epoch: () =>
      (epoch ??= store.read([{ stream: INSTALLATION_STREAM, limit: 1 }]).then(
        ([slice]) => (slice?.[0]?.id ?? 'none').slice(0, 8),
        (error: unknown) => {
          epoch = null
          throw error
        },
      )),
    listen: async (userId, after, listener) => {
      const beginning = (began ??= begin())
      await beginning.catch((error: unknown) => {
        if (began === beginning) began = null
        throw error
      })
      const isGone = after !== null && (await isBeyondEnd(after))
      const mine = listeners.get(userId) ?? new Set()
      listeners.set(userId, mine.add(listener))
      return {
        missed: after === null ? [] : isGone ? null : missedBy(userId, after),
        stop: () => {
          mine.delete(listener)
          if (mine.size === 0 && listeners.get(userId) === mine) listeners.delete(userId)
        },
      }
    },
    close: async () => {
      closing.abort()
      for (const each of listeners.values()) for (const listener of each) listener.end('bye')
      listeners.clear()
      await running
    },
  }
}
