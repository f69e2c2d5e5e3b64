/** Every event there is, by the stream it is in. `docs/events.md` is made of this: `npm run docs`. */
import type { z } from 'zod'
import { affiliateEvents } from './affiliate/events.ts'
import { alertEvents } from './alert/events.ts'
import { emailEvents, firstAccountEvents } from './account/email-claim.ts'
import { accountEvents } from './account/events.ts'
import { bookEvents } from './dedup/events.ts'
import { creditEvents, creditSegmentEvents } from './credits/events.ts'
import { erasureEvents } from './erasure.ts'
import { idEvents } from './ids.ts'
import { importEvents } from './import.ts'
import { installationEvents } from './installation.ts'
import { jobEvents } from './job/events.ts'
import { notificationEvents } from './arrival/events.ts'
import { planOrderEvents } from './plan-order/events.ts'
import { transactionEvents } from './transaction/events.ts'

export interface StreamKind {
  /** The stream's name, as a pattern. */
  stream: string
  /** What is told there. */
  holds: string
  kept: string
  events: Readonly<Record<string, z.ZodObject>>
}

const { NotificationUnread, NotificationReread, NotificationGivenUp, NotificationIgnored } = notificationEvents

export const streamKinds: readonly StreamKind[] = [
  {
    stream: 'account-<user>',
    holds: 'everything an account decides by',
    kept: 'until the account is deleted',
    events: accountEvents,
  },
  {
    stream: 'book-<user>-<bank>',
    holds: "what one user's bank has told lately; no text",
    kept: '7 days',
    events: bookEvents,
  },
  {
    stream: 'credits-<user>-<segment>',
    holds: 'by what a credit is known again after its book has dropped it: 16 bytes each, at most 1,000,000',
    kept: '2 years',
    events: creditEvents,
  },
  {
    stream: 'credit-segments-<user>',
    holds: 'which segment of its credits is the newest',
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
    holds: 'a notification that no reader understood yet',
    kept: 'a year at most (`KEEP_UNREAD`); until it is read or the account has too many, then only the event that says so',
    events: { NotificationUnread, NotificationReread, NotificationGivenUp },
  },
  {
    stream: 'ignored-<user>',
    holds: 'notifications that are no transactions',
    kept: '30 days',
    events: { NotificationIgnored },
  },
  {
    stream: 'plan-order-<id>',
    holds: 'a plan that somebody wants to buy, and that it was paid',
    kept: 'for good',
    events: planOrderEvents,
  },
  {
    stream: 'affiliate-<user>',
    holds: 'links, earnings and withdrawals of somebody who brings others',
    kept: 'for good',
    events: affiliateEvents,
  },
  { stream: 'alerts-<user>', holds: 'what its owner was alerted to', kept: 'for good', events: alertEvents },
  { stream: 'job-<id>', holds: 'work on many transactions', kept: 'for good', events: jobEvents },
  { stream: 'email-<sha256>', holds: 'whose an e-mail address is', kept: 'for good', events: emailEvents },
  {
    stream: 'installation',
    holds: "the installation's name, by which what was built from its events is known",
    kept: 'for good',
    events: installationEvents,
  },
  { stream: 'first-account', holds: 'which account is the first', kept: 'for good', events: firstAccountEvents },
  { stream: 'ids', holds: 'which ids are given out', kept: 'its newest event counts', events: idEvents },
  {
    stream: '<any of a deleted account>',
    holds: 'that its past was erased',
    kept: 'for good, as its only event',
    events: erasureEvents,
  },
  {
    stream: 'import',
    holds: 'that the store was filled from a file of another',
    kept: 'for good',
    events: importEvents,
  },
]

/** Schema of an event's data by its type. */
export const eventSchemas: ReadonlyMap<string, z.ZodObject> = new Map(
  streamKinds.flatMap(({ events }) => Object.entries(events)),
)
