// Tests: tests/integration/http/inbox.test.ts
/**
 * Inboxes: built-in endpoints for users who have no shop yet. A rule may call one. The inbox stores the received calls, and responds
 * as its owner configures, so that success, failure and slowness can be tested before anything depends on them.
 */
import type { Account, Inbox } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'
import { conflict, notFound } from './refusals.ts'
import { isToken } from './tokens.ts'

/** The limit per account. The limit on stored calls applies to all of its inboxes together. */
const MOST_INBOXES = 10

/** Milliseconds. It is longer than any caller waits, so that a timeout can be tested too. */
export const LONGEST_DELAY_MS = 30_000

export type InboxChange = Change<Pick<Inbox, 'answer' | 'delay_ms'>>

/** @throws {Refused} CONFLICT if there are too many */
export const openInbox = (
  { user_id, inboxes }: Account,
  inbox: Pick<Inbox, 'inbox_id' | 'token_hash' | 'sealed_token' | 'created_at'>,
): AccountEvent[] => {
  if (inboxes.size >= MOST_INBOXES)
    throw conflict(`An account can have at most ${MOST_INBOXES} inboxes. Delete one first.`)
  return [{ type: 'InboxOpened', data: { user_id, ...inbox } }]
}

/** @returns nothing if nothing changes · @throws {Refused} NOT_FOUND */
export const changeInbox = (
  { user_id, inboxes }: Account,
  { inbox_id, change }: { inbox_id: number; change: InboxChange },
): AccountEvent[] => {
  const inbox = inboxes.get(inbox_id)
  if (!inbox) throw notFound('inbox')
  const changed = differing<Pick<Inbox, 'answer' | 'delay_ms'>>(inbox, change)
  return changed === null ? [] : [{ type: 'InboxChanged', data: { ...changed, user_id, inbox_id } }]
}

/** @throws {Refused} NOT_FOUND */
export const closeInbox = ({ user_id, inboxes }: Account, inbox_id: number): AccountEvent[] => {
  if (!inboxes.has(inbox_id)) throw notFound('inbox')
  return [{ type: 'InboxClosed', data: { user_id, inbox_id } }]
}

export const inboxOf = ({ inboxes }: Account, token: string): Inbox | null =>
  [...inboxes.values()].find(({ token_hash }) => isToken(token, token_hash)) ?? null
