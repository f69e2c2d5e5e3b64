// Tests: tests/unit/workflows/accounts/streams-of-account.test.ts, tests/attack/account-deletion-cost.test.ts
/**
 * Finds the streams of an account without reading the store from the account's registration on. Streams are named by the
 * account, or by an id that the read models list. The list is complete up to one position; later events are read from
 * the store by the caller.
 *
 * A parked event, or one that the operator has skipped, may be missing in the read models. So every stream that is or was
 * parked is looked at itself.
 */
import { affiliateStream } from '../../domain/affiliate/events.ts'
import { alertStream } from '../../domain/alert/events.ts'
import { ignoredStream } from '../../domain/arrival/events.ts'
import { banks } from '../../domain/banks/index.ts'
import { creditSegmentsStream, creditsStream } from '../../domain/credits/events.ts'
import { dedupStream } from '../../domain/dedup/events.ts'
import { isClosing } from '../../domain/erasure.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import { isReadable } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { slicesOf } from '../support/slices.ts'

export interface ListedStreams {
  /** Up to this position, the list has every stream that is not named by the account. */
  upTo: Checkpoint
  /** Ids of transactions, without deleted ones. */
  transactions: readonly number[]
  /** Notifications, jobs, orders. */
  others: readonly string[]
  /** Banks of the account's transactions. */
  banks: readonly string[]
  /** Parked streams of all accounts. */
  parked: readonly string[]
}

/** The list from the read models, or why there is none. */
export type Listing = ListedStreams | { unknown: string }

export interface FoundStreams {
  upTo: Checkpoint
  streams: Set<string>
}

type Reading = Pick<EventStore, 'read'>

/** @returns every stream with an event to erase up to `upTo`, or why they must be searched in the store · @throws {StoreUnavailable} */
export const streamsOfAccount = async (
  store: Reading,
  userId: number,
  listing: Listing,
): Promise<FoundStreams | { unknown: string }> => {
  if ('unknown' in listing) return listing
  const segments = await creditSegments(store, userId)
  if (segments === null) return { unknown: 'the list of credit segments cannot be read' }
  const windows = new Set([...banks.map(({ code }) => code), ...listing.banks])
  const named = [
    alertStream(userId),
    ignoredStream(userId),
    affiliateStream(userId),
    creditSegmentsStream(userId),
    ...segments,
    ...[...windows].map((bank) => dedupStream(userId, bank)),
  ]
  const streams = new Set(listing.transactions.map(transactionStream))
  for (const stream of await notClosed(store, [...named, ...listing.others])) streams.add(stream)
  for (const stream of await ownedBy(store, userId, [...listing.parked, ...(await onceParked(store))]))
    streams.add(stream)
  return { upTo: listing.upTo, streams }
}

/** The first segment exists without an event that names it. null: an event cannot be read. */
const creditSegments = async (store: Reading, userId: number): Promise<string[] | null> => {
  const [events = []] = await store.read([{ stream: creditSegmentsStream(userId) }])
  let newest = 0
  for (const event of events) {
    if (!isReadable(event)) return null
    if (event.type === 'CreditSegmentBegun') newest = Math.max(newest, event.data.segment)
  }
  return Array.from({ length: newest + 1 }, (_, segment) => creditsStream(userId, segment))
}

/** The streams that have an event to erase. A stream that does not exist, has expired, or was erased before has none. */
const notClosed = async (store: Reading, streams: readonly string[]): Promise<string[]> => {
  const found: string[] = []
  const newestTwo = streams.map((stream) => ({ stream, backwards: true, limit: 2 }))
  for await (const [stream, events] of slicesOf(store, newestTwo))
    if (events.some(({ type }) => !isClosing(type))) found.push(stream)
  return found
}

/** Streams about which the operator has decided. The read models may lack a skipped event. */
const onceParked = async (store: Reading): Promise<string[]> => {
  const [decisions = []] = await store.read([{ stream: PARKED_STREAM }])
  return decisions.flatMap(({ type, data }) =>
    type === 'ParkedEventSkipped' || type === 'ParkedEventRetried' ? [data.stream] : [],
  )
}

/** The streams with an event of the account that is not erased. The account's own stream ends by itself. */
const ownedBy = async (store: Reading, userId: number, streams: readonly string[]): Promise<string[]> => {
  const doubtful = [...new Set(streams)].filter((stream) => !/^(?:account|email)-/.test(stream))
  const found: string[] = []
  const whole = doubtful.map((stream) => ({ stream }))
  for await (const [stream, events] of slicesOf(store, whole))
    if (events.some(({ type, metadata }) => metadata.user_id === userId && !isClosing(type))) found.push(stream)
  return found
}
