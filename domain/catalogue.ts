// Tests: tests/unit/domain/golden-events.test.ts
/** Every event, by the kind of its stream. `npm run docs` generates `docs/events.md` from this list. */
import type { z } from 'zod'
import type { RecordedEvent } from './event.ts'
import { affiliateEvents } from './affiliate/events.ts'
import { alertEvents } from './alert/events.ts'
import { emailEvents, firstAccountEvents } from './account/email-claim.ts'
import { accountEvents } from './account/events.ts'
import { dedupEvents } from './dedup/events.ts'
import { creditEvents, creditSegmentEvents } from './credits/events.ts'
import { erasureEvents } from './erasure.ts'
import { idEvents } from './ids.ts'
import { importEvents } from './import.ts'
import { installationEvents } from './installation.ts'
import { jobEvents } from './job/events.ts'
import { notificationEvents } from './arrival/events.ts'
import { parkedEvents } from './parked/events.ts'
import { planOrderEvents } from './plan-order/events.ts'
import { transactionEvents } from './transaction/events.ts'

export interface StreamKind {
  /** The stream name, as a pattern. */
  stream: string
  /** The content of the stream's events. */
  holds: string
  kept: string
  events: Readonly<Record<string, z.ZodObject>>
}

const { NotificationUnread, NotificationReread, NotificationGivenUp, NotificationIgnored } = notificationEvents

export const streamKinds: readonly StreamKind[] = [
  {
    stream: 'account-<user>',
    holds: 'everything that decisions about an account depend on',
    kept: 'until the account is deleted',
    events: accountEvents,
  },
  {
    stream: 'book-<user>-<bank>',
    holds: 'the deduplication window of one user and bank, without texts',
    kept: '7 days',
    events: dedupEvents,
  },
  {
    stream: 'credits-<user>-<segment>',
    holds: 'what identifies a credit after it has left its deduplication window: 16 bytes each, at most 1,000,000',
    kept: '2 years',
    events: creditEvents,
  },
  {
    stream: 'credit-segments-<user>',
    holds: 'the number of the newest segment of credits',
    kept: 'until the account is deleted',
    events: creditSegmentEvents,
  },
  {
    stream: 'transaction-<id>',
    holds: 'what happened to one transaction',
    kept: 'until it is deleted, then only `TransactionDeleted`',
    events: transactionEvents,
  },
  {
    stream: 'unread-<id>',
    holds: 'a notification that the reader could not read yet',
    kept: 'a year at most (`KEEP_UNREAD`); after it is read, or deleted because the account has too many, only the event that records it',
    events: { NotificationUnread, NotificationReread, NotificationGivenUp },
  },
  {
    stream: 'ignored-<user>',
    holds: 'notifications that are not transactions',
    kept: '30 days',
    events: { NotificationIgnored },
  },
  {
    stream: 'plan-order-<id>',
    holds: 'the order of a plan, and its payment',
    kept: 'until the account is deleted',
    events: planOrderEvents,
  },
  {
    stream: 'affiliate-<user>',
    holds: 'links, earnings and withdrawals of a user who refers others',
    kept: 'until the account is deleted',
    events: affiliateEvents,
  },
  { stream: 'alerts-<user>', holds: 'the alerts of a user', kept: 'until the account is deleted', events: alertEvents },
  {
    stream: 'job-<id>',
    holds: 'a bulk operation on many transactions',
    kept: 'until the account is deleted',
    events: jobEvents,
  },
  { stream: 'email-<sha256>', holds: 'which user an email address belongs to', kept: 'forever', events: emailEvents },
  {
    stream: 'installation',
    holds: "the installation's id, which identifies everything built from its events",
    kept: 'forever',
    events: installationEvents,
  },
  { stream: 'first-account', holds: 'which account is the first', kept: 'forever', events: firstAccountEvents },
  { stream: 'ids', holds: 'which ids have been assigned', kept: 'only the newest event counts', events: idEvents },
  {
    stream: '<any of a deleted account>',
    holds: 'the fact that its events were erased',
    kept: 'forever, as its only event',
    events: erasureEvents,
  },
  {
    stream: 'parked',
    holds: 'what the operator decided about events that cannot be read or projected',
    kept: 'forever',
    events: parkedEvents,
  },
  {
    stream: 'import',
    holds: 'the fact that the store was filled from the file of another store',
    kept: 'forever',
    events: importEvents,
  },
]

/** The kinds that are not themselves a pattern for streams of other kinds. */
const NAMES = streamKinds.map(({ stream }) => stream).filter((stream) => !stream.startsWith('<'))

const STREAM_NAME = new RegExp(`^(?:${NAMES.map((stream) => stream.replace(/<.*/, '.+')).join('|')})$`)

/** Whether an installation has streams of this name. */
export const isStreamName = (name: string): boolean => STREAM_NAME.test(name)

type Schemas = typeof accountEvents &
  typeof dedupEvents &
  typeof creditEvents &
  typeof creditSegmentEvents &
  typeof transactionEvents &
  typeof notificationEvents &
  typeof planOrderEvents &
  typeof affiliateEvents &
  typeof alertEvents &
  typeof jobEvents &
  typeof emailEvents &
  typeof installationEvents &
  typeof firstAccountEvents &
  typeof idEvents &
  typeof erasureEvents &
  typeof parkedEvents &
  typeof importEvents

export type EventType = keyof Schemas
/** Data of each event, in its newest version. */
export type EventData = { [Type in EventType]: z.infer<Schemas[Type]> }
/** A stored event of one of these types, in its newest version. */
export type KnownEvent<Type extends EventType = EventType> = { [T in Type]: RecordedEvent<T, EventData[T]> }[Type]

/** Whether an event is one of a kind of stream, such as `accountEvents`. */
export const isEventOf = <Type extends EventType>(
  kind: Readonly<Record<Type, z.ZodObject>>,
  event: { type: string; data: unknown },
): event is { [T in Type]: { type: T; data: EventData[T] } }[Type] => Object.hasOwn(kind, event.type)

/** Functions by event type. */
export type Handlers<Result, Type extends EventType = EventType> = {
  readonly [T in Type]?: ((event: RecordedEvent<T, EventData[T]>) => Result) | undefined
}

/** Calls the handler of the event's type, where there is one. */
export const handle = <Result, Type extends EventType>(
  handlers: Handlers<Result, Type>,
  event: KnownEvent<Type>,
): Result | undefined => handlers[event.type]?.(event)

/** Schema of an event's data by its type. */
export const eventSchemas: ReadonlyMap<string, z.ZodObject> = new Map(
  streamKinds.flatMap(({ events }) => Object.entries(events)),
)
