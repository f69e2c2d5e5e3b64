// Tests: tests/integration/looking-commands.test.ts
/**
 * Checks that the events of a store are consistent. Transactions and accounts are audited stream by stream when their
 * first events are read. So memory holds only a few streams, one revision per account, and the deduplication windows of
 * the last days.
 */
import { accountStream } from '../domain/account/events.ts'
import { DEDUP_RETENTION_S } from '../domain/dedup/events.ts'
import { isClosing } from '../domain/erasure.ts'
import { keptFor } from './scheduled/expire-events.ts'
import type { Metadata } from '../domain/event.ts'
import { asStored, type StoredEvent } from '../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../domain/ports.ts'
import { Leftovers } from './audit-leftovers.ts'
import { faultsOf } from '../domain/transaction/audit.ts'
import { pages } from './store-migration/pages.ts'

const AT_A_TIME = 200
/** Newer transactions must be in their deduplication window, even if the clocks of processes differ a little. */
const WINDOW_MARGIN_S = 3_600

export interface Audited {
  events: number
  transactions: number
}

/**
 * @param found  is called with one line per error
 * @throws {StoreUnavailable}
 */
export const auditStore = async (store: EventStore, now: Date, found: (fault: string) => void): Promise<Audited> => {
  const audited: Audited = { events: 0, transactions: 0 }
  const accounts = new Map<number, number>()
  const named = new Map<number, number>()
  const inWindow = new Set<number>()
  const young: number[] = []
  /** Streams that keep all their events. Transactions are checked as a whole. */
  const permanent = new Set<string>()
  const leftovers = new Leftovers()
  let reserved = 0
  let largest = 0
  let waiting: string[] = []
  const windowBegins = now.getTime() - (DEDUP_RETENTION_S - WINDOW_MARGIN_S) * 1_000

  const auditWaiting = async (): Promise<void> => {
    const streams = await store.read(waiting.map((stream) => ({ stream })))
    waiting.forEach((stream, index) => {
      const events = streams[index]!
      try {
        for (const fault of faultsOf(events)) found(`${stream}: ${fault}`)
      } catch (error) {
        found(`${stream}: cannot be folded: ${(error as Error).message}`)
      }
      for (const event of events)
        if (event.type === 'WebhookAttempted') noteRevision(event.data.account_revision, event.metadata, named)
      audited.transactions++
      const [first] = events
      if (first?.type === 'TransactionCaptured' && Date.parse(first.data.created_at) > windowBegins)
        young.push(first.data.transaction_id)
    })
    waiting = []
  }

  let before: Checkpoint | null = null
  for await (const page of pages(store)) {
    for (const event of page) {
      audited.events++
      leftovers.take(event, before)
      const { stream, type, data, revision } = event
      if (type === 'Unreadable') found(`${stream}@${revision}: ${data.detail}; its stream is parked`)
      if (keptFor(stream) === null && !stream.startsWith('transaction-')) permanent.add(stream)
      if (stream.startsWith('account-')) followAccount(event, accounts, found)
      if (type === 'IdsReserved') reserved = data.to
      if (type === 'NotificationSeen') inWindow.add(data.transaction_id)
      if (type === 'TransactionCaptured' || (type === 'TransactionDeleted' && revision === 0)) waiting.push(stream)
      largest = Math.max(largest, transactionIn(asStored(event).data))
    }
    before = page.at(-1)!.checkpoint
    // Only between pages, after the related events of accounts and transactions have been read.
    while (waiting.length > 0) {
      const rest = waiting.splice(AT_A_TIME)
      await auditWaiting()
      waiting = rest
    }
  }
  for (const id of young)
    if (!inWindow.has(id)) found(`transaction-${id}: its notification is in no deduplication window`)
  for (const [user, revision] of named) {
    const [[newest] = []] = await store.read([{ stream: accountStream(user), backwards: true, limit: 1 }])
    if ((newest?.revision ?? -1) < revision)
      found(`account-${user}: attempts name its revision ${revision}, which is not there`)
  }
  await leftovers.report(store, found)
  await auditBeginnings(store, [...permanent], found)
  if (largest > reserved) found(`ids: ${largest} is used, and only ids up to ${reserved} are given out`)
  return audited
}

/** A stream begins with its first event, or with the event that closed it. Otherwise somebody has cut it off in the store. */
const auditBeginnings = async (
  store: Pick<EventStore, 'read'>,
  streams: readonly string[],
  found: (fault: string) => void,
): Promise<void> => {
  for (let from = 0; from < streams.length; from += AT_A_TIME) {
    const some = streams.slice(from, from + AT_A_TIME)
    const slices = await store.read(some.map((stream) => ({ stream, limit: 1 })))
    some.forEach((stream, index) => {
      const first = slices[index]?.[0]
      if (!first) return found(`${stream}: cut off: no event is visible`)
      const isWhole = first.revision === 0 || isClosing(first.type) || first.type === 'EmailReleased'
      if (!isWhole && first.type !== 'Unreadable')
        found(`${stream}: cut off: its first visible event is ${first.type} at revision ${first.revision}`)
    })
  }
}

/** The id that event data names, also where the data is damaged; otherwise 0. */
const transactionIn = (data: unknown): number =>
  typeof data === 'object' && data !== null && 'transaction_id' in data ? Number(data.transaction_id) || 0 : 0

/** Notes the newest revision of each account that an attempt names. */
const noteRevision = (account_revision: number, { user_id }: Metadata, named: Map<number, number>): void => {
  if (user_id !== null) named.set(user_id, Math.max(named.get(user_id) ?? -1, account_revision))
}

const followAccount = (
  { stream, type, revision }: StoredEvent,
  accounts: Map<number, number>,
  found: (fault: string) => void,
): void => {
  const user = Number(stream.slice('account-'.length))
  const before = accounts.get(user)
  accounts.set(user, revision)
  if (isClosing(type)) return
  if (before === undefined && type !== 'AccountRegistered') found(`${stream}@${revision}: begins with ${type}`)
  if (revision !== (before ?? -1) + 1) found(`${stream}@${revision}: follows revision ${before ?? -1}`)
}
