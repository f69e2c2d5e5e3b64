/**
 * What happens, told live to whoever listens: one subscription of a process to the store, handed on after the read models
 * have it, so that who asks for more gets it. It begins with the first listener and remembers the newest events; a listener
 * that was away for longer than that is told so, and reads its page anew.
 */
import type { StoredEvent } from '../../domain/parse-event.ts'
import { INSTALLATION_STREAM } from '../../domain/installation.ts'
import type { Checkpoint, EventStore, ReadModels } from '../../domain/ports.ts'
import { endsListening, newsOf, type News } from './news.ts'

/** Events remembered, of all users. */
const REMEMBERED = 5_000
/** Read models that are further behind than this (milliseconds) are not waited for. */
const BEHIND_MS = 5_000
const BEGIN_AGAIN_MS = 1_000

const PREFIXES = ['account-', 'alerts-', 'transaction-', 'unread-', 'ignored-']

export interface Told {
  checkpoint: Checkpoint
  news: News
}

export interface Listener {
  tell(told: Told): void
  /** Nothing more comes; `bye`: the process stops, else the listener has to show again who it is. */
  end(reason: 'bye' | 'credentials'): void
}

export interface Feed {
  /** By which a checkpoint is known to be of this store. */
  epoch(): Promise<string>
  /**
   * From now on, until it is stopped.
   * @param after  what it heard last; null: nothing yet
   * @returns what it missed meanwhile; null where that is too long ago, or of another store
   */
  listen(userId: number, after: Checkpoint | null, listener: Listener): Promise<{ missed: Told[] | null; stop(): void }>
  close(): Promise<void>
}

export interface FeedParts {
  store: EventStore
  readModels: ReadModels
  onTrouble?: (error: unknown) => void
}

type Remembered = Told & { user_id: number }

export const openFeed = ({ store, readModels, onTrouble = () => {} }: FeedParts): Feed => {
  const listeners = new Map<number, Set<Listener>>()
  const closing = new AbortController()
  let remembered: Remembered[] = []
  /** What happened after this is remembered. */
  let since: Checkpoint | null = null
  let running: Promise<void> | null = null
  let began: Promise<void> | null = null
  let epoch: Promise<string> | null = null

  const hand = (event: StoredEvent): void => {
    const { user_id } = event.metadata
    const news = user_id === null ? null : newsOf(event)
    if (user_id === null || news === null) return
    const told = { checkpoint: event.checkpoint, news }
    remembered.push({ ...told, user_id })
    for (const listener of listeners.get(user_id) ?? []) listener.tell(told)
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
          onTrouble(error)
          // Nobody is told less: what was remembered is void, and who listens hears so when coming back.
          remembered = []
          await new Promise((resolve) => setTimeout(resolve, BEGIN_AGAIN_MS).unref())
          since = await store.end().catch(() => since)
        }
      }
    })()
  }

  const missedBy = (userId: number, after: Checkpoint): Told[] | null => {
    try {
      if (since !== null && store.isAfter(since, after)) return null
      return remembered.filter(({ user_id, checkpoint }) => user_id === userId && store.isAfter(checkpoint, after))
    } catch {
      return null // no checkpoint of this store
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
      const mine = listeners.get(userId) ?? new Set()
      listeners.set(userId, mine.add(listener))
      return {
        missed: after === null ? [] : missedBy(userId, after),
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
