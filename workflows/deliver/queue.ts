// Tests: tests/integration/delivery/queue.test.ts
/** The port from delivery to its queue: due rows, claims and the workers' heartbeats. An adapter implements it in SQL. */
import type { Checkpoint } from '../../domain/ports.ts'
import type { Delivery } from '../../domain/transaction/transaction.ts'
import type { WebhookStatus } from '../../domain/transaction/events.ts'
import type { Format } from '../../domain/webhook/payload/render.ts'
import type { EndpointUpdate, EndpointState } from './endpoint-updates.ts'
import type { TransactionRow } from '../../domain/webhook/payload/transaction-row.ts'

/** First attempts, due retries, manual retries of one transaction, and bulk retries. Each lane has its own room. */
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

/** One attempt that only this worker may make, with the data for its call. */
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
    /** It failed recently or asked for no calls. So a response from it now must be reported. */
    watched: boolean
    /** The endpoint must not be called, but this attempt is made nevertheless. */
    isPassedThrough: boolean
  }
  /** The endpoint's breaker is open and the whole schedule has passed. If this attempt fails, the delivery has failed. */
  isLast: boolean
  /** The rule's endpoint has already confirmed this transaction, and the owner sends it again. */
  isReplay: boolean
  transaction: TransactionRow & {
    user_id: number
    content: string | null
    prefix: string | null
    already_run_of: number | null
    webhook_status: WebhookStatus
    created_at: string
  }
  /** All deliveries of the transaction, as the read models have them. None if its stream is read anyway: only a first attempt needs them. */
  deliveries: {
    rule_id: number
    status: Delivery['status']
    attempt: number
    round_base: number
    due_at: string | null
  }[]
}

/** A due delivery whose rule no longer exists. */
export interface Orphan {
  transaction_id: number
  rule_id: number
  user_id: number
}

export interface OpenClaims {
  worker: string
  claims_open: number
}

export interface OtherWorker {
  worker: string
  /** Rises with each of its heartbeats. */
  beat: number
  /** It has signed off. */
  ended: boolean
}

/** A delivery of a transaction that was just captured. The read models may not have it yet. */
export interface NewDelivery {
  transaction_id: number
  rule_id: number
  user_id: number
  captured_at: string
  /** How many of its user's transactions, with this one, the read models may not have counted in the quota yet. */
  uncounted: number
}

/** A first attempt of a new delivery, with what the read models know about its rule. */
export type NewClaim = Pick<Claimed, 'transaction_id' | 'rule_id' | 'rule' | 'endpoint'>

export interface NewClaims {
  claimed: NewClaim[]
  /** Transactions that must wait for the read models: a rule is gated or held, or the user may be over the quota. */
  left: number[]
  /** The position that the read models have passed; null if no row was read. */
  passed: Checkpoint | null
}

/** A user's part of the room. */
export interface Shares {
  whole: RoomByLane
  /** The rest of it for users who have calls in a lane already. */
  left: readonly { lane: LaneName; user_id: number; left: number }[]
}

export interface DueWanted {
  /** Most rows per lane. */
  room: RoomByLane
  /** Most rows per rule. */
  perRule: number
  /** Rules whose endpoints have no room. */
  fullRules: readonly number[]
  /** Calls of limited rules that wait. Such a rule gets no more in the same lane, because those that wait together are made at once later. */
  limitedWaiting?: readonly { rule_id: number; lane: LaneName }[]
  /** Most rows of a user per lane. */
  shares: Shares
  /** Seconds by which first attempts are claimed before they are due in the queue. */
  firstEarlier: number
}

export interface Due {
  claimed: Claimed[]
  orphans: Orphan[]
  /** More may be due: not all of the queue was read. */
  hasMore?: boolean
}

/** A rule as it is now. */
export interface PresentRule {
  rule_id: number
  /** Revision of the account's event that last changed the rule. */
  account_revision: number
  url: string
}

export interface DeliveryQueue {
  /**
   * Claims first attempts that the read models may not have yet. It leaves those that it must not claim: of held or gated
   * rules, and of users who may be over their quota. Deliveries that another worker has claimed are neither claimed nor left.
   */
  claimNew(worker: string, deliveries: readonly NewDelivery[], fullRules: readonly number[]): Promise<NewClaims>
  /**
   * Claims open first attempts of these transactions. It claims none of held rules (paused rule, locked account) and
   * none of gated rules. `isGated` says whether some of the gated ones may pass now.
   */
  claimFirst(
    worker: string,
    transactions: readonly number[],
    fullRules: readonly number[],
    limit: number,
  ): Promise<{ claimed: Claimed[]; isGated: boolean }>
  /**
   * Claims due deliveries: a few of each rule, and none of held rules. Of gated rules it claims those that may pass now: the
   * rule is ordered or limited, or its endpoint must not be called.
   */
  claimDue(worker: string, wanted: DueWanted): Promise<Due>
  /** Claims for this worker the attempts that dead workers have claimed and not recorded. */
  takeOver(worker: string, dead: readonly string[], limit: number): Promise<Due>
  /** Which of these claims still belong to this worker. @returns their indexes in the list */
  stillMine(worker: string, claims: readonly Claim[]): Promise<number[]>
  /** The given rules that may be called now, without held ones (paused rule, locked account) and deleted ones. */
  presentRules(rules: readonly number[]): Promise<PresentRule[]>
  /** Returns attempts that were claimed and not begun, and must not be made now. */
  giveBack(worker: string, claims: readonly Claim[]): Promise<void>
  /** Sends what calls showed about their endpoints. @returns the endpoints that had or now have a row */
  updateEndpoints(updates: readonly EndpointUpdate[]): Promise<EndpointState[]>
  /** How many attempts these workers have claimed and not recorded. Workers without any are left out. */
  countOpen(workers: readonly string[]): Promise<OpenClaims[]>
  /**
   * Records that this worker is alive.
   * @returns the database's time and the other workers. `isNew`: the queue did not know this worker.
   */
  beat(worker: string): Promise<{ now: Date; others: OtherWorker[]; isNew: boolean }>
  signOff(worker: string): Promise<void>
  /** Removes claims that were recorded long ago, and dead workers without claims. */
  sweep(dead: readonly string[]): Promise<void>
}
