/**
 * Inboxes: endpoints of our own for who has no shop yet. A rule may point at one; it keeps what came, and answers as its
 * owner says, so that success, failure and slowness can be seen before anything depends on them.
 */
import type { Account, Inbox } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'
import { conflict, notFound } from './refusals.ts'
import { isToken } from './tokens.ts'

/** Of one account; what they keep is kept for all of them. */
export const MOST_INBOXES = 10

/** Milliseconds: longer than any caller waits, so that a time-out can be seen too. */
export const LONGEST_DELAY_MS = 30_000

export type InboxChange = Change<Pick<Inbox, 'answer' | 'delay_ms'>>

/** @throws {Refused} CONFLICT when there are too many */
export const openInbox = (
  { user_id, inboxes }: Account,
  inbox: Pick<Inbox, 'inbox_id' | 'token_hash' | 'sealed_token' | 'created_at'>,
): AccountEvent[] => {
  if (inboxes.size >= MOST_INBOXES) throw conflict(`An account has at most ${MOST_INBOXES} inboxes: delete one first.`)
  return [{ type: 'InboxOpened', data: { user_id, ...inbox } }]
}

/** @returns nothing where the change changes nothing · @throws {Refused} NOT_FOUND */
export const changeInbox = (
  { user_id, inboxes }: Account,
  { inbox_id, change }: { inbox_id: number; change: InboxChange },
): AccountEvent[] => {
  const inbox = inboxes.get(inbox_id)
  if (!inbox) throw notFound('inbox')
  const said = differing<Pick<Inbox, 'answer' | 'delay_ms'>>(inbox, change)
  return said === null ? [] : [{ type: 'InboxChanged', data: { ...said, user_id, inbox_id } }]
}

/** @throws {Refused} NOT_FOUND */
export const closeInbox = ({ user_id, inboxes }: Account, inbox_id: number): AccountEvent[] => {
  if (!inboxes.has(inbox_id)) throw notFound('inbox')
  return [{ type: 'InboxClosed', data: { user_id, inbox_id } }]
}

export const inboxOf = ({ inboxes }: Account, token: string): Inbox | null =>
  [...inboxes.values()].find(({ token_hash }) => isToken(token, token_hash)) ?? null
