// Tests: tests/integration/delivery/queue.test.ts
/** Turns rows of `whatTheCallNeeds` (`claim-sql.ts`) into claimed attempts. */
import type { Claimed, Due, LaneName } from '../../../workflows/deliver/queue.ts'

type DeliveryTuple = [number, Claimed['deliveries'][number]['status'], number, number, string | null]

/** The columns of `RULE_COLUMNS`, and of its endpoint. */
export type RuleRow = Omit<Claimed['rule'], 'ordered'> & { ordered: 0 | 1; endpoint: string; watched: boolean }

/** A row of `whatTheCallNeeds`. */
export type ClaimRow = RuleRow &
  Omit<Claimed['transaction'], 'id'> & {
    transaction_id: number
    rule_id: number
    attempt: number
    lane: LaneName
    due_at: string
    captured_at: string
    orphan: boolean
    passed_through: boolean
    is_last: boolean
    is_replay: boolean
    /** Null unless they were asked for. */
    deliveries: DeliveryTuple[] | null
  }

export const ruleOf = (row: RuleRow): Claimed['rule'] => ({
  url: row.url,
  http_method: row.http_method,
  payload_format: row.payload_format,
  custom_template: row.custom_template,
  sealed_secret: row.sealed_secret,
  sealed_previous: row.sealed_previous,
  previous_until: row.previous_until,
  account_revision: row.account_revision,
  max_per_minute: row.max_per_minute,
  ordered: row.ordered === 1,
})

/**
 * Written without spread, as in all code that creates many objects: in Node 20, spread gives each object a separate hidden
 * class.
 */
export const claimedOf = (row: ClaimRow): Claimed => ({
  transaction_id: row.transaction_id,
  rule_id: row.rule_id,
  user_id: row.user_id,
  attempt: row.attempt,
  lane: row.lane,
  due_at: row.due_at,
  captured_at: row.captured_at,
  isLast: row.is_last,
  isReplay: row.is_replay,
  rule: ruleOf(row),
  endpoint: { name: row.endpoint, watched: row.watched, isPassedThrough: row.passed_through },
  transaction: {
    id: row.transaction_id,
    user_id: row.user_id,
    bank_code: row.bank_code,
    bank_name: row.bank_name,
    transaction_type: row.transaction_type,
    amount: row.amount,
    currency: row.currency,
    balance_after: row.balance_after,
    account_number: row.account_number,
    transaction_ref: row.transaction_ref,
    transaction_date: row.transaction_date,
    description: row.description,
    content: row.content,
    counterpart_name: row.counterpart_name,
    order_id: row.order_id,
    prefix: row.prefix,
    already_run_of: row.already_run_of,
    webhook_status: row.webhook_status,
    created_at: row.created_at,
  },
  deliveries: (row.deliveries ?? []).map(([rule_id, status, attempt, round_base, due_at]) => ({
    rule_id,
    status,
    attempt,
    round_base,
    due_at,
  })),
})

export const dueOf = (rows: readonly ClaimRow[]): Due => ({
  claimed: rows.filter((row) => !row.orphan).map(claimedOf),
  orphans: rows.filter((row) => row.orphan),
})
