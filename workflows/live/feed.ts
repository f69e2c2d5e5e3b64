// Tests: tests/integration/http/stream.test.ts
/**
 * Sends events live to listeners. A process has one subscription to the store, which begins with the first listener. An event is passed on
 * after the read models have it, so that listeners can query the details. The feed remembers the newest events. A listener that comes back
 * receives what it missed: from memory, or after a restart of the process from the store. A listener that was away for longer must reload
 * its page.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import { INSTALLATION_STREAM } from '../../domain/installation.ts'
import type { Checkpoint, EventStore, ReadModels } from '../../domain/ports.ts'
import { orAborted, waitUnlessAborted } from '../support/abort.ts'
import { isAtOrAfter } from '../support/store-position.ts'
import { openListeners, type Listener } from './listeners.ts'
import { type PositionedUpdate, openUpdateMemory } from './update-memory.ts'
import { endsListening } from './updates.ts'

/** The first listener waits this long for read models that are behind. Milliseconds. */
const BEHIND_MS = 5_000
const TRY_AGAIN_MS = 1_000

const PREFIXES = ['account-', 'alerts-', 'transaction-', 'unread-', 'ignored-']

export interface Listening {
  /** The updates that the listener missed; null if that is too long ago, or belongs to another store. */
  missed: readonly PositionedUpdate[] | null
  /** Everything up to here is in `missed`, everything later will be received. null: the store is empty. */
  position: Checkpoint | null
  stop(): void
}

export interface Feed {
  /** Identifies the store that a checkpoint belongs to. */
  epoch(): Promise<string>
  /** All events up to here have been passed on. */
  position(): Checkpoint | null
  /**
   * Starts listening, until it is stopped.
   * @param after  the last event that the listener received; null: none yet
   * @throws {StoreUnavailable} also if the read models are too far behind to begin
   */
  listen(userId: number, after: Checkpoint | null, listener: Listener): Promise<Listening>
  close(): Promise<void>
}

export interface FeedParts {
  store: EventStore
  readModels: ReadModels
  onFailure?: (error: unknown) => void
  /** Most events that are read from the store for a listener that was away during a restart. */
  mostRead?: number
}

/** Does the work once for all calls. After a failure, the next call does it again. */
const once = <Result>(work: () => Promise<Result>): (() => Promise<Result>) => {
  let doing: Promise<Result> | null = null
  return () => {
    const mine = (doing ??= work())
    mine.catch(() => {
      if (doing === mine) doing = null
    })
    return mine
  }
}

export const openFeed = ({ store, readModels, onFailure = () => {}, mostRead = 20_000 }: FeedParts): Feed => {
  const listeners = openListeners()
  const closing = new AbortController()
  const { signal } = closing
  const memory = openUpdateMemory(store, mostRead)
  let position: Checkpoint | null = null
  let running: Promise<void> | null = null
  let reading: Promise<void> = Promise.resolve()

  /** Waits until the read models have this position. @returns false if the feed closes */
  const shown = async (checkpoint: Checkpoint): Promise<boolean> => {
    while (!(await orAborted(readModels.passed(checkpoint, BEHIND_MS), signal)) && !signal.aborted)
      await waitUnlessAborted(TRY_AGAIN_MS, signal)
    return !signal.aborted
  }

  const follow = async (): Promise<void> => {
    for await (const { events, checkpoint } of store.subscribe({ after: position, prefixes: PREFIXES, signal })) {
      if (events.length > 0 && !(await shown(checkpoint))) return
      listeners.send(memory.add(events))
      for (const { metadata } of events.filter(endsListening)) listeners.endOf(metadata.user_id!)
      position = checkpoint
      memory.forget()
    }
  }

  const begin = once(async () => {
    const end = await store.end()
    // A page loads its lists when it begins to listen. They must not be older than what it will receive.
    if (end !== null && !(await readModels.passed(end, BEHIND_MS)))
      throw new StoreUnavailable('the read models are behind')
    position = end
    memory.begin(end)
    running = (async () => {
      while (!signal.aborted) {
        await follow().catch(onFailure)
        await waitUnlessAborted(TRY_AGAIN_MS, signal)
      }
    })()
  })

  /** The listener's position; null if it has events that the store has lost, or a position of another store. */
  const known = async (after: Checkpoint): Promise<Checkpoint | null> => {
    const end = await store.end()
    return end !== null && isAtOrAfter(end, after, (a, b) => store.isAfter(a, b)) ? after : null
  }

  const listen: Feed['listen'] = async (userId, after, listener) => {
    await begin()
    const from = after === null ? null : await known(after)
    // One read at a time. Listeners that come back together after a restart share what the first one read.
    if (from !== null) await (reading = reading.catch(() => {}).then(() => memory.readFrom(from)))
    const stop = listeners.add(userId, listener)
    return { missed: after === null ? [] : from === null ? null : memory.missedBy(userId, from), position, stop }
  }

  const epoch = once(async () => {
    const [slice] = await store.read([{ stream: INSTALLATION_STREAM, limit: 1 }])
    return (slice?.[0]?.id ?? 'none').slice(0, 8)
  })

  const close = async (): Promise<void> => {
    closing.abort()
    listeners.endAll()
    await running
  }

  return { epoch, position: () => position, listen, close }
}
