/** The first steps of a newcomer, and whether each is done. Nobody ticks them: what the account has tells. */
import type { Rule } from '../api/types.ts'

export const STEPS = ['text', 'call', 'source', 'webhook'] as const
export type Step = (typeof STEPS)[number]

export interface Found {
  /** Number of transactions. */
  transactions: number
  /** Number of transactions that a webhook has accepted. */
  delivered: number
  /** Whether a phone is paired, a mailbox is collected, or an app sends to the personal URL. */
  hasSource: boolean
  rules: readonly Pick<Rule, 'url'>[]
}

/** The built-in inbox is an endpoint of ours, not of a shop. */
const isInbox = (url: string): boolean => new URL(url).pathname.startsWith('/inbox/')

export const stepsDone = ({ transactions, delivered, hasSource, rules }: Found): Record<Step, boolean> => ({
  text: transactions > 0,
  call: delivered > 0,
  source: hasSource,
  webhook: rules.some(({ url }) => !isInbox(url)),
})
