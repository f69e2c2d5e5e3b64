/** The first steps of a newcomer, and whether each is done. They are ticked by what the account has, not by hand. */
import type { Device, LastSeen, MailAccount, Rule, System } from '../api/types.ts'

export const STEPS = ['text', 'call', 'source', 'shop', 'webhook'] as const
export type Step = (typeof STEPS)[number]

/** The facts that payments change. */
export interface FirstPayments {
  /** Number of transactions. */
  transactions: number
  /** Number of transactions that a webhook has accepted. */
  delivered: number
  /** Null without a personal URL. */
  url: Pick<LastSeen, 'last_heard_at'> | null
}

/** The things that the owner sets up. */
export interface SetUp {
  devices: readonly Pick<Device, 'paired'>[]
  mailboxes: readonly Pick<MailAccount, 'id'>[]
  systems: readonly Pick<System, 'is_active'>[]
  rules: readonly Pick<Rule, 'url'>[]
}

type Found = FirstPayments & SetUp

/** The built-in inbox is an endpoint of ours, not of a shop. */
const isInbox = (url: string): boolean => new URL(url).pathname.startsWith('/inbox/')

/** A text sent from *Try it* does not count as a report of the personal URL. */
const hasReported = ({ url }: FirstPayments): boolean => url !== null && url.last_heard_at !== null

const hasSource = (found: Found): boolean =>
  found.devices.some(({ paired }) => paired) || found.mailboxes.length > 0 || hasReported(found)

/** Whether no further payment can tick a step. */
export const arePaymentStepsDone = (found: FirstPayments): boolean =>
  found.transactions > 0 && found.delivered > 0 && hasReported(found)

export const stepsDone = (found: Found): Record<Step, boolean> => ({
  text: found.transactions > 0,
  call: found.delivered > 0,
  source: hasSource(found),
  shop: found.systems.some(({ is_active }) => is_active === 1),
  webhook: found.rules.some(({ url }) => !isInbox(url)),
})
