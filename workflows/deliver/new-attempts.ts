// Tests: tests/integration/delivery/new-claims.test.ts
/**
 * First attempts of new transactions, without a wait for the read models. The log has the whole event, and a new transaction
 * has nothing else: its deliveries are the event's rules. So only what does not come from the event is read: the rules as they
 * are now, their endpoints and the quota.
 *
 * The read models must know the rules as they were at the capture. So they must have passed the newest event of any account
 * before it, which they have unless an account changed in the last moments. They may not have counted the newest transactions
 * in the quota. These are counted here, and a user who may be over the quota waits for the exact count.
 */
import type { Checkpoint, EventStore, LogEntry, ReadModels } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import type { Claimed, DeliveryQueue, NewClaim, NewDelivery } from './queue.ts'

/** Milliseconds to wait for the read models to pass the newest event of an account. */
const PATIENCE = 250

/** While more transactions than this are missing in the read models, new ones wait for them too. */
const MOST_UNCOUNTED = 20_000

export interface NewAttemptsOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'claimNew'>
  isAfter: EventStore['isAfter']
  readModels: ReadModels
  /** Whether no worker can have attempted this entry's deliveries before. */
  isFirst: (entry: LogEntry) => boolean
  fullRules: () => readonly number[]
  /** The response to a claim was lost, so the claim may have been made. Its newest entry has this position. */
  onLost: (error: unknown, newest: Checkpoint) => void
}

type NewEntry = LogEntry & { captured: NonNullable<LogEntry['captured']> }

export class NewAttempts {
  readonly #options: NewAttemptsOptions
  /** A position that the read models have passed. */
  #passed: Checkpoint | null = null
  /** Transactions that the read models may not have counted in a quota, in the order of the log, and how many each user has. */
  #uncounted: { user_id: number; checkpoint: Checkpoint }[] = []
  readonly #uncountedOf = new Map<number, number>()
  #beingClaimed: readonly NewDelivery[] = []

  constructor(options: NewAttemptsOptions) {
    this.#options = options
  }

  /** Entries as they come from the log. */
  note(entries: readonly LogEntry[]): void {
    for (const { captured, user_id, checkpoint } of entries) {
      if (!captured || captured.data.already_run_of !== null) continue
      this.#uncounted.push({ user_id, checkpoint })
      this.#uncountedOf.set(user_id, (this.#uncountedOf.get(user_id) ?? 0) + 1)
    }
  }

  /** Whether an entry can be claimed here. */
  isNew(entry: LogEntry): boolean {
    return (
      entry.captured?.data.already_run_of === null &&
      this.#uncounted.length <= MOST_UNCOUNTED &&
      this.#options.isFirst(entry)
    )
  }

  isBeingClaimed({ transaction_id, rule_id }: { transaction_id: number; rule_id: number }): boolean {
    return this.#beingClaimed.some((each) => each.transaction_id === transaction_id && each.rule_id === rule_id)
  }

  /** The read models have passed this position. */
  hasPassed(position: Checkpoint): void {
    if (this.#passed !== null && !this.#options.isAfter(position, this.#passed)) return
    this.#passed = position
    const { isAfter } = this.#options
    const counted = this.#uncounted.findIndex(({ checkpoint }) => isAfter(checkpoint, position))
    const gone = counted < 0 ? this.#uncounted.splice(0) : this.#uncounted.splice(0, counted)
    for (const { user_id } of gone) {
      const left = this.#uncountedOf.get(user_id)! - 1
      if (left > 0) this.#uncountedOf.set(user_id, left)
      else this.#uncountedOf.delete(user_id)
    }
  }

  /** @returns the claimed attempts, and the entries that must wait for the read models. It never throws. */
  async claim(entries: readonly LogEntry[]): Promise<{ claimed: Claimed[]; left: LogEntry[] }> {
    const { worker, queue, fullRules, onLost } = this.#options
    const fresh = entries.filter(isWithData)
    const deliveries = fresh.flatMap((entry) => this.#deliveriesOf(entry))
    if (deliveries.length === 0) return { claimed: [], left: [] }
    if (!(await this.#knowTheRules(fresh))) return { claimed: [], left: fresh }
    this.#beingClaimed = deliveries
    try {
      const { claimed, left, passed } = await queue.claimNew(worker, deliveries, fullRules())
      if (passed !== null) this.hasPassed(passed)
      const byTransaction = new Map(fresh.map((entry) => [entry.transaction_id, entry]))
      return {
        claimed: claimed.map((claim) => attemptOf(claim, byTransaction.get(claim.transaction_id)!)),
        left: left.map((id) => byTransaction.get(id)!),
      }
    } catch (error) {
      onLost(error, fresh.at(-1)!.checkpoint)
      return { claimed: [], left: fresh }
    } finally {
      this.#beingClaimed = []
    }
  }

  #deliveriesOf({ transaction_id, user_id, captured: { data } }: NewEntry): NewDelivery[] {
    const uncounted = this.#uncountedOf.get(user_id) ?? 0
    const { created_at: captured_at } = data
    return [...new Set(data.rules)].map((rule_id) => ({ transaction_id, rule_id, user_id, captured_at, uncounted }))
  }

  async #knowTheRules(entries: readonly NewEntry[]): Promise<boolean> {
    const { isAfter, readModels } = this.#options
    const newest = entries.reduce<Checkpoint | null>((latest, { captured: { accountsAt } }) => {
      if (accountsAt === null || latest === null) return latest ?? accountsAt
      return isAfter(accountsAt, latest) ? accountsAt : latest
    }, null)
    if (newest === null || (this.#passed !== null && !isAfter(newest, this.#passed))) return true
    if (!(await readModels.passed(newest, PATIENCE))) return false
    this.hasPassed(newest)
    return true
  }
}

const isWithData = (entry: LogEntry): entry is NewEntry => entry.captured !== undefined

/** The first attempt of a transaction that has nothing but its capture. */
const attemptOf = (
  { transaction_id, rule_id, rule, endpoint }: NewClaim,
  { user_id, captured: { data } }: NewEntry,
): Claimed => {
  const due_at = new Date(Date.parse(data.created_at) + LEFT_TO_THE_LOG_MS).toISOString()
  return {
    transaction_id, rule_id, user_id, attempt: 1, lane: 'first', due_at, captured_at: data.created_at, isLast: false,
    isReplay: false, rule, endpoint,
    transaction: {
      id: transaction_id, user_id, bank_code: data.bank_code, bank_name: data.bank_name,
      transaction_type: data.transaction_type, amount: data.amount, currency: data.currency,
      balance_after: data.balance_after, account_number: data.account_number, transaction_ref: data.transaction_ref,
      transaction_date: data.transaction_date, description: data.description, content: data.content,
      counterpart_name: data.counterpart_name, order_id: data.order_id, prefix: data.prefix,
      already_run_of: data.already_run_of, webhook_status: data.webhook_status, created_at: data.created_at,
    },
    deliveries: [...new Set(data.rules)].map((rule) => ({
      rule_id: rule, status: 'open', attempt: 0, round_base: 0, due_at,
    })),
  } // prettier-ignore
}
