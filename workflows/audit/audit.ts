// Tests: tests/integration/audit-since-last.test.ts
/**
 * Checks that the events of a store are consistent, from a position on: all events since, and the whole streams of the
 * transactions that they belong to. An audit of everything begins before the first event. Transactions are audited
 * stream by stream when their first events are read. So memory holds only a few streams, one revision per account, and the
 * deduplication windows of the last days.
 *
 * Only an audit of everything finds: earlier events that were damaged or removed in the store since they were audited, and streams
 * of a deleted account that its deletion did not find.
 */
import { isClosing } from '../../domain/erasure.ts'
import { ID_STREAM } from '../../domain/ids.ts'
import { asStored, isReadable, isTombstone, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { faultsOf } from '../../domain/transaction/audit.ts'
import { AccountRevisions } from './account-revisions.ts'
import { openLeftovers } from './leftovers.ts'
import { slicesOf } from '../support/slices.ts'
import { Windows } from './windows.ts'
import { keptFor } from '../../domain/retention.ts'
import { pages } from '../support/store-pages.ts'
import { isAtOrAfter, isPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'

export interface Audited {
  events: number
  /** Without deleted ones. */
  transactions: number
  /** Where the next audit may continue; null if it must begin where this one began. */
  end: StorePosition | null
}

type Found = (fault: string) => void

/** @returns where an audit continues that ended at a position; null if this store does not contain it */
export const continuedFrom = async (store: EventStore, position: StorePosition): Promise<Checkpoint | null> => {
  const { checkpoint } = position
  const end = await store.end()
  const isWithin = end !== null && isAtOrAfter(end, checkpoint, (a, b) => store.isAfter(a, b))
  return isWithin && (await isPositionIn(store, position)) ? checkpoint : null
}

/** The progress of an audit. */
const openAudit = (store: EventStore, now: Date, found: Found, after: Checkpoint | null) => {
  const accounts = new AccountRevisions()
  /** Streams that keep all their events. Transactions are checked as a whole. */
  const permanent = new Set<string>()
  const audited: Audited = { events: 0, transactions: 0, end: null }
  let newestReserved = 0
  let largest = 0
  /** The last event of the previous page. */
  let before = after
  const windows = new Windows(now)
  const leftovers = openLeftovers(after)

  const takePage = async (page: readonly StoredEvent[]): Promise<void> => {
    const begun = new Set<string>()
    const continued = new Set<string>()
    for (const event of page) {
      take(event)
      const { stream, type, revision } = event
      if (type === 'TransactionCaptured' || (type === 'TransactionDeleted' && revision === 0)) begun.add(stream)
      else if (isOfTransaction(stream) && after !== null) continued.add(stream)
    }
    // Between pages, after the related events of accounts and transactions have been read.
    for await (const [stream, events] of slicesOf(store, wholly(begun))) {
      auditTransaction(stream, events)
      windows.mustHave(events[0])
    }
    for (const stream of begun) continued.delete(stream)
    for await (const [stream, events] of slicesOf(store, wholly(continued)))
      if (isContinued(events)) auditTransaction(stream, events)
    before = page.at(-1)!.checkpoint
    const last = page.findLast(isLastingPosition)
    if (last) audited.end = storePositionOf(last)
  }

  /** Reports what can be judged only after the last event. */
  const finish = async (): Promise<Audited> => {
    await windows.report(store, found)
    await accounts.report(store, found)
    await leftovers.report(store, found)
    await auditBeginnings(store, [...permanent], found)
    const [[ids] = []] = await store.read([{ stream: ID_STREAM, backwards: true, limit: 1 }])
    const reserved = ids?.type === 'IdsReserved' ? ids.data.to : newestReserved
    if (largest > reserved) found(`ids: ${largest} is used, and only ids up to ${reserved} are given out`)
    return audited
  }

  const take = (event: StoredEvent): void => {
    const { stream, type, data, revision } = event
    audited.events++
    leftovers.take(event, before)
    windows.take(event)
    if (type === 'Unreadable') found(`${stream}@${revision}: ${data.detail}; its stream is parked`)
    if (keptFor(stream) === null && !isOfTransaction(stream)) permanent.add(stream)
    if (stream.startsWith('account-')) accounts.take(event, found)
    if (type === 'IdsReserved') newestReserved = data.to
    largest = Math.max(largest, transactionIdOf(asStored(event).data))
  }

  const auditTransaction = (stream: string, events: readonly StoredEvent[]): void => {
    try {
      for (const fault of faultsOf(events)) found(`${stream}: ${fault}`)
    } catch (error) {
      found(`${stream}: cannot be folded: ${(error as Error).message}`)
    }
    accounts.takeAttempts(events)
    if (events.at(-1)?.type !== 'TransactionDeleted') audited.transactions++
  }

  /** Whether the first event of a transaction since the audit begins is on this page. Otherwise an earlier page has led to it. */
  const isContinued = (events: readonly StoredEvent[]): boolean => {
    const firstSince = events.find((event) => isSince(event, after))
    return firstSince !== undefined && isReadable(events[0]!) && isSince(firstSince, before)
  }

  const isSince = ({ checkpoint }: StoredEvent, position: Checkpoint | null): boolean =>
    position === null || store.isAfter(checkpoint, position)

  return { takePage, finish }
}

/**
 * @param found  is called with one line per error
 * @param after  where to begin; null: with the first event
 * @throws {StoreUnavailable}
 */
export const auditStore = async (
  store: EventStore,
  now: Date,
  found: Found,
  after: Checkpoint | null = null,
): Promise<Audited> => {
  const audit = openAudit(store, now, found, after)
  for await (const page of pages(store, after)) await audit.takePage(page)
  return audit.finish()
}

const isOfTransaction = (stream: string): boolean => stream.startsWith('transaction-')

const wholly = (streams: ReadonlySet<string>) => [...streams].map((stream) => ({ stream }))

/** An event that is found again later: one that does not expire and that can be read again in its stream. */
const isLastingPosition = (event: StoredEvent): boolean => keptFor(event.stream) === null && !isTombstone(event)

/** A stream begins with its first event, or with the event that closed it. Otherwise somebody has cut it off in the store. */
const auditBeginnings = async (
  store: Pick<EventStore, 'read'>,
  streams: readonly string[],
  found: Found,
): Promise<void> => {
  const slices = streams.map((stream) => ({ stream, limit: 1 }))
  for await (const [stream, [first]] of slicesOf(store, slices)) {
    const isWhole = first?.revision === 0 || isClosing(first?.type ?? '') || first?.type === 'EmailReleased'
    if (!first) found(`${stream}: cut off: no event is visible`)
    else if (!isWhole && first.type !== 'Unreadable')
      found(`${stream}: cut off: its first visible event is ${first.type} at revision ${first.revision}`)
  }
}

/** The id that event data names, even if the data is damaged. 0 if there is none. */
const transactionIdOf = (data: unknown): number =>
  typeof data === 'object' && data !== null && 'transaction_id' in data ? Number(data.transaction_id) || 0 : 0
