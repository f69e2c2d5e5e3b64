/** What delivery asks of its queue: due rows, claims and the workers' beats. Implemented over SQL by an adapter. */
import type { Delivery } from '../../domain/transaction/transaction.ts'
import type { WebhookStatus } from '../../domain/transaction/events.ts'
import type { Format } from '../../domain/webhook/payload/render.ts'
import type { EndpointNews, EndpointState } from './endpoint-updates.ts'
import type { TransactionRow } from '../../domain/webhook/payload/transaction-row.ts'

/** First tries, due retries, retries by hand of one transaction, and of many: each has room of its own. */
export const LANES = ['first', 'retry', 'manual', 'bulk'] as const
export type LaneName = (typeof LANES)[number]

export type RoomByLane = Record<LaneName, number>

export const NO_ROOM: RoomByLane = { first: 0, retry: 0, manual: 0, bulk: 0 }

export interface Claim {
  transaction_id: number
  rule_id: number
  /** Number of the attempt. */
  attempt: number
}

/** One attempt that this worker alone may make, with what the call needs. */
export interface Claimed extends Claim {
  user_id: number
  lane: LaneName
  /** ISO 8601 UTC. */
  due_at: string
  captured_at: string
  rule: Format & {
    url: string
    http_method: 'POST' | 'PUT'
    sealed_secret: string
    sealed_previous: string | null
    previous_until: string | null
    /** Revision of the account's event that last changed the rule. */
    account_revision: number
    max_per_minute: number | null
    ordered: boolean
  }
  endpoint: {
    /** Scheme, host and port. */
    name: string
    /** It failed lately, or asked to wait: that it answers now is news. */
    watched: boolean
    /** It is to be left alone, and this attempt is made nevertheless. */
    isPassedThrough: boolean
  }
  /** The endpoint's breaker is open and the whole schedule has passed: if this one fails, the delivery has failed. */
  isLast: boolean
  transaction: TransactionRow & {
    user_id: number
    content: string | null
    prefix: string | null
    already_run_of: number | null
    webhook_status: WebhookStatus
    created_at: string
  }
  /** All deliveries of the transaction, as the read models know them. */
  deliveries: {
    rule_id: number
    status: Delivery['status']
    attempt: number
    round_base: number
    due_at: string | null
  }[]
}

/** A due delivery whose rule is no more. */
export interface Orphan {
  transaction_id: number
  rule_id: number
  user_id: number
}

export interface OtherWorker {
  worker: string
  /** Rises with each of its beats. */
  beat: number
  /** It has said goodbye. */
  ended: boolean
}

export interface DueWanted {
  /** Most rows for each lane. */
  room: RoomByLane
  /** Most rows of one rule. */
  perRule: number
  /** Rules whose endpoints have no room. */
  fullRules: readonly number[]
}

export interface Due {
  claimed: Claimed[]
  orphans: Orphan[]
}

export interface DeliveryQueue {
  /**
   * Claims open first tries of these transactions; of held rules (paused, locked account) none, and none of gated ones, but
   * the answer says whether there are such as may be let through now.
   */
  claimFirst(
    worker: string,
    transactions: readonly number[],
    fullRules: readonly number[],
    limit: number,
  ): Promise<{ claimed: Claimed[]; isGated: boolean }>
  /** Claims what is due, a few of every rule, and of held and of gated rules nothing. */
  claimDue(worker: string, wanted: DueWanted): Promise<Due>
  /** Claims what may be made now of gated rules: ordered, limited, or to an endpoint that is left alone. */
  claimGated(worker: string, wanted: DueWanted): Promise<Claimed[]>
  /** Claims again, for this worker, attempts that workers now dead have claimed and not recorded. */
  takeOver(worker: string, dead: readonly string[], limit: number): Promise<Due>
  /** Which of these claims are still this worker's; answers their places in the list. */
  stillMine(worker: string, claims: readonly Claim[]): Promise<number[]>
  /** Attempts claimed and not begun, which are not to be made now. */
  giveBack(worker: string, claims: readonly Claim[]): Promise<void>
  /** What calls said of their servers; answers those that had or now have a row. */
  tellEndpoints(news: readonly EndpointNews[]): Promise<EndpointState[]>
  /** How many attempts others have claimed and not recorded. */
  countOpen(worker: string): Promise<number>
  /** Says that this worker lives; answers the database's time and who else there is. */
  beat(worker: string): Promise<{ now: Date; others: OtherWorker[] }>
  goodbye(worker: string): Promise<void>
  /** Forgets claims recorded long ago, and dead workers without claims. */
  sweep(dead: readonly string[]): Promise<void>
}
