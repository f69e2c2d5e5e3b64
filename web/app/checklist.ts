/** The first steps of a newcomer, and whether each is done. Nobody ticks them: they follow from what the account has. */
import type { Device, LastSeen, MailAccount, Rule, System } from '../api/types.ts'

export const STEPS = ['text', 'call', 'source', 'shop', 'webhook'] as const
export type Step = (typeof STEPS)[number]

export interface Found {
  /** Number of transactions. */
  transactions: number
  /** Number of transactions that a webhook has accepted. */
  delivered: number
  devices: readonly Pick<Device, 'paired'>[]
  mailboxes: readonly Pick<MailAccount, 'id'>[]
  /** Null without a personal URL. */
  url: Pick<LastSeen, 'last_heard_at'> | null
  systems: readonly Pick<System, 'is_active'>[]
  rules: readonly Pick<Rule, 'url'>[]
}

/** The built-in inbox is an endpoint of ours, not of a shop. */
const isInbox = (url: string): boolean => new URL(url).pathname.startsWith('/inbox/')

/** A text sent from *Try it* does not count as a report of the personal URL. */
const hasSource = ({ devices, mailboxes, url }: Found): boolean =>
  devices.some(({ paired }) => paired) || mailboxes.length > 0 || (url !== null && url.last_heard_at !== null)

export const stepsDone = (found: Found): Record<Step, boolean> => ({
  text: found.transactions > 0,
  call: found.delivered > 0,
  source: hasSource(found),
  shop: found.systems.some(({ is_active }) => is_active === 1),
  webhook: found.rules.some(({ url }) => !isInbox(url)),
})
