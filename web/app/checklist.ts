/** The first steps of a newcomer, and whether each is done. Nobody ticks them: they follow from what the account has. */
import type { Rule, System } from '../api/types.ts'

export const STEPS = ['text', 'call', 'source', 'shop', 'webhook'] as const
export type Step = (typeof STEPS)[number]

export interface Found {
  /** Number of transactions. */
  transactions: number
  /** Number of transactions that a webhook has accepted. */
  delivered: number
  /** Whether a phone is paired, a mailbox is collected, or an app sends to the personal URL. */
  hasSource: boolean
  systems: readonly Pick<System, 'is_active'>[]
  rules: readonly Pick<Rule, 'url'>[]
}

/** The built-in inbox is an endpoint of ours, not of a shop. */
const isInbox = (url: string): boolean => new URL(url).pathname.startsWith('/inbox/')

export const stepsDone = ({ transactions, delivered, hasSource, systems, rules }: Found): Record<Step, boolean> => ({
  text: transactions > 0,
  call: delivered > 0,
  source: hasSource,
  shop: systems.some(({ is_active }) => is_active === 1),
  webhook: rules.some(({ url }) => !isInbox(url)),
})
