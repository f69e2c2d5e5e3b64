/**
 * After a change of the installation's address, a webhook that calls the test inbox keeps the inbox's former address. The token in it is the
 * same.
 */
import type { Inbox, Rule } from '../api/types.ts'

const PATH = /\/inbox\/([\w.-]+)$/

const tokenIn = (url: string): string | undefined => PATH.exec(url)?.[1]

/** @returns the current address of the inbox that a rule calls at a former one; null if it calls none, or the current address */
export const movedInbox = ({ url }: Pick<Rule, 'url'>, inboxes: readonly Pick<Inbox, 'url'>[]): string | null => {
  const token = tokenIn(url)
  const inbox = token === undefined ? undefined : inboxes.find((each) => each.url && tokenIn(each.url) === token)
  return inbox?.url && inbox.url !== url ? inbox.url : null
}
