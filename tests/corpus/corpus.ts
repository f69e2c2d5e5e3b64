/**
 * Bank texts with their expected readings, one JSON object per line (`*.jsonl` beside this file). Accounts and names are invented in the
 * shape of real ones. `provenance`: a `real` text was live, a `sample` has a real layout, a `synthetic` one is invented.
 */
import { readFileSync } from 'node:fs'

export interface CorpusEntry {
  id: string
  /** null if the text is not from a bank. */
  bank: string | null
  channel: 'sms' | 'notification' | 'email' | 'api'
  text: string
  title?: string
  sender?: string
  package?: string
  from?: string
  subject?: string
  /** null if the text is not a transaction. */
  expected: {
    transaction_type: 'credit' | 'debit'
    amount: string
    currency: string
    account_number: string | null
    balance_after: string | null
    /** ISO with offset, or only a day; null if nothing is printed. */
    transaction_date: string | null
    transaction_ref: string | null
    description: string | null
  } | null
  provenance: 'real' | 'sample' | 'synthetic'
  /** Other correct readings of the reference. */
  ref_any?: string[]
  order_code?: string
  tags?: string[]
}

export interface OrderIdCase {
  id: string
  case: string
  content: string
  prefixes: string[]
  order_id: string | null
  prefix: string | null
}

export interface SameEventCase {
  id: string
  case: string
  notifications: { type: string; sender?: string; package?: string; title?: string; text: string }[]
  expected: { verdict: string; order_id?: string | null; completes?: string }[]
}

const lines = <Line>(name: string): Line[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

export const notifications = lines<CorpusEntry>('notifications.jsonl')
export const orderIds = lines<OrderIdCase>('order-ids.jsonl')
export const sameEvents = lines<SameEventCase>('same-event.jsonl')
