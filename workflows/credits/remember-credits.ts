// Tests: tests/integration/credits/remember-credits.test.ts
/**
 * Adds credits to the two-year memory of their accounts (decisions, T5). About once a day, it reads the captured
 * transactions after its own checkpoint, so that one event holds many credits. Until then the deduplication window
 * remembers them, for seven days.
 *
 * Captured transactions never expire, so nothing is lost if a process was down for weeks. Work that a crash interrupted
 * is done again: a credit that the memory already has is not added twice, whatever the checkpoint says. If the
 * checkpoint is lost, or the store is a different one, it starts at the first event.
 *
 * One gap remains. An installation that was killed and stayed off for more than six days adds the credits of its last
 * day in the first ten minutes after the next start. If a text of that day is received again within these minutes, with
 * a new timestamp and without a printed time, it is treated as new.
 */
import { accountStream } from '../../domain/account/events.ts'
import {
  BLOCK_CREDITS,
  CREDITS_KEPT_S,
  creditSegmentsStream,
  creditsStream,
  SEGMENT_CREDITS,
  SEGMENTS,
  type CreditSegmentBegun,
  type CreditsRemembered,
} from '../../domain/credits/events.ts'
import { markOfCaptured, pack, type Remembered } from '../../domain/credits/mark.ts'
import type { Fact, RecordedEvent } from '../../domain/event.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type Clock, type EventStore, type StreamAppend } from '../../domain/ports.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { closeStream } from '../accounts/delete-account.ts'
import { isPositionIn, lastPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'
import type { ScheduledJob } from '../scheduled/scheduled-work.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { ownCause, stamp } from '../support/stamp.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import { LoadedMemory } from './memories.ts'

export interface CreditsCheckpoint {
  /** null before the first event */
  load(): Promise<StorePosition | null>
  save(position: StorePosition): Promise<void>
}

export interface RememberingParts {
  store: EventStore
  clock: Clock
  checkpoint: CreditsCheckpoint
  /** Most credits of a segment. */
  segmentCredits?: number
}

/** The schedule is frequent, so that the work runs soon after a start. Each process does it only once a day. */
const OFTEN = '*/10 * * * *'
const EVERY_MS = 20 * HOUR_MS
/** Credits held in memory before they are written. */
const MOST_GATHERED = 30_000

export const rememberCredits = (parts: RememberingParts): ScheduledJob => {
  let lastRun = -Infinity
  return {
    name: 'remember_credits',
    at: OFTEN,
    run: async (signal) => {
      const now = parts.clock.now().getTime()
      if (Math.abs(now - lastRun) < EVERY_MS) return null
      const remembered = await gatherCredits(parts, signal)
      lastRun = now
      return remembered > 0 ? { remembered } : null
    },
  }
}

/**
 * Processes everything up to now.
 * @returns how many credits were added
 * @throws {StoreUnavailable} what was written before stays
 */
export const gatherCredits = async (parts: RememberingParts, signal: AbortSignal): Promise<number> => {
  const { store, clock, checkpoint } = parts
  const oldest = new Date(clock.now().getTime() - CREDITS_KEPT_S * 1_000).toISOString()
  let gathered = new Map<number, Remembered[]>()
  let count = 0
  let added = 0
  let last: RecordedEvent | undefined
  /** Something cannot be read. Then the checkpoint stays: all is gathered again until it can be read, or is skipped. */
  let isIncomplete = false

  const write = async (): Promise<void> => {
    for (const [userId, credits] of gathered) {
      const remembered = await unlessUnreadable(() => remember(parts, userId, credits))
      if (remembered === undefined) isIncomplete = true
      added += remembered ?? 0
    }
    if (last && !isIncomplete) await checkpoint.save(storePositionOf(last))
    gathered = new Map()
    count = 0
  }

  for await (const { events, live } of store.subscribe({
    after: await placeToStart(store, checkpoint),
    prefixes: ['transaction-'],
    signal,
  })) {
    for (const event of events) {
      if (event.type === 'Unreadable') isIncomplete = true
      const credit = creditIn(event, oldest)
      if (!credit) continue
      const own = gathered.get(credit.user_id) ?? []
      if (own.length === 0) gathered.set(credit.user_id, own)
      own.push(credit)
      count++
    }
    last = lastPositionIn(events) ?? last
    if (live || count >= MOST_GATHERED) await write()
    if (live || signal.aborted) break
  }
  return added
}

/** The credit that an event records; null if it records none, or one that is no longer kept. */
const creditIn = ({ type, data }: StoredEvent, oldest: string): (Remembered & { user_id: number }) | null => {
  if (type !== 'TransactionCaptured') return null
  const { transaction_type, already_run_of, created_at, user_id, transaction_id } = data
  if (transaction_type !== 'credit' || already_run_of !== null || created_at < oldest) return null
  const mark = markOfCaptured(data)
  return mark === null ? null : { user_id, mark, transaction_id }
}

const placeToStart = async (store: EventStore, checkpoint: CreditsCheckpoint): Promise<Checkpoint | null> => {
  const position = await checkpoint.load()
  return position && (await isPositionIn(store, position)) ? position.checkpoint : null
}

/** @returns how many of the account's credits were new to the memory */
const remember = async (parts: RememberingParts, userId: number, credits: readonly Remembered[]): Promise<number> => {
  const { store, clock } = parts
  const occasion = { user_id: userId, at: clock.now(), ...ownCause('remember_credits') }
  /** If all events of a stream have expired, only a conflict reveals where its numbering continues. */
  const conflicts = new Map<string, number>()
  const attempt = async (): Promise<number | typeof CONFLICT> => {
    const loaded = new LoadedMemory(userId)
    await loaded.readOn(store)
    const fresh = notIn(loaded, credits)
    if (fresh.length === 0 || (await isDeleted(store, userId))) return 0
    const { blocks, begun } = divide(loaded, fresh, parts.segmentCredits ?? SEGMENT_CREDITS)
    const unit = [...appendsOf(userId, blocks, begun)].map(({ stream, facts }): StreamAppend => {
      const expectedRevision = conflicts.get(stream) ?? loaded.revisions.get(stream) ?? NO_STREAM
      return { stream, expectedRevision, events: stamp(facts, occasion) }
    })
    const [result] = await store.append([unit])
    if (!result?.ok) {
      if (result) conflicts.set(result.conflict.stream, result.conflict.revision)
      return CONFLICT
    }
    const written = unit.map(({ stream }) => stream)
    // The account may have been deleted just now. Its deletion looks for streams to erase, and may have run before this
    // append.
    const toErase = (await isDeleted(store, userId)) ? written : tooOld(userId, begun)
    for (const stream of toErase) await closeStream(store, occasion, stream)
    return fresh.length
  }
  const onExhausted = () => new Error(`too many conflicts on the credits of account ${userId}`)
  return untilNoConflict(attempt, { onExhausted })
}

/** Each credit once: a store that is read again from its first event returns all of them. */
const notIn = ({ memory }: LoadedMemory, credits: readonly Remembered[]): Remembered[] => {
  const known = new Set<number>()
  return credits.filter(({ mark }) => {
    if (known.has(mark) || memory.firstOf(mark) !== null) return false
    known.add(mark)
    return true
  })
}

type Block = Pick<CreditsRemembered, 'segment' | 'credits' | 'total'>

/** Fills the newest segment and begins new ones. */
const divide = (loaded: LoadedMemory, credits: readonly Remembered[], segmentCredits: number) => {
  const blocks: Block[] = []
  const begun: number[] = []
  let segment = loaded.memory.newest
  let total = loaded.total
  for (let from = 0; from < credits.length;) {
    if (total >= segmentCredits) {
      begun.push(++segment)
      total = 0
    }
    const some = credits.slice(from, from + Math.min(BLOCK_CREDITS, segmentCredits - total))
    from += some.length
    total += some.length
    blocks.push({ segment, credits: pack(some), total })
  }
  return { blocks, begun }
}

/** A segment is recorded as the newest before anything is written to it. */
const appendsOf = (
  userId: number,
  blocks: readonly Block[],
  begun: readonly number[],
): { stream: string; facts: Fact[] }[] => {
  const facts = new Map<string, Fact[]>()
  if (begun.length > 0)
    facts.set(
      creditSegmentsStream(userId),
      begun.map((segment): Fact<string, CreditSegmentBegun> => {
        return { type: 'CreditSegmentBegun', data: { user_id: userId, segment } }
      }),
    )
  for (const block of blocks) {
    const stream = creditsStream(userId, block.segment)
    const fact: Fact<string, CreditsRemembered> = { type: 'CreditsRemembered', data: { user_id: userId, ...block } }
    facts.set(stream, [...(facts.get(stream) ?? []), fact])
  }
  return [...facts].map(([stream, of]) => ({ stream, facts: of }))
}

/** The segments that the new ones push out, and one more, which a crash may have left. */
const tooOld = (userId: number, begun: readonly number[]): string[] => {
  if (begun.length === 0) return []
  const newest = begun.at(-1)!
  return Array.from({ length: begun.length + 1 }, (_, n) => newest - SEGMENTS - n)
    .filter((segment) => segment >= 0)
    .map((segment) => creditsStream(userId, segment))
}

const isDeleted = async (store: EventStore, userId: number): Promise<boolean> => {
  const [[newest] = []] = await store.read([{ stream: accountStream(userId), backwards: true, limit: 1 }])
  return newest?.type === 'AccountDeleted'
}
