// Tests: tests/unit/workflows/deliver/new-attempts.test.ts, tests/integration/delivery/new-claims.test.ts
/**
 * First attempts of new transactions, without a wait for the read models. The log has the whole event, and a new transaction
 * has nothing else: its deliveries are the event's rules. So only what does not come from the event is read: the rules as they
 * are now, their endpoints and the quota.
 *
 * A process that receives claims what it captures while the append is under way, so that the claim costs no time. The entry of
 * the log shows that the append succeeded. Claims without an entry are given back.
 *
 * The read models must know the rules as they were at the capture. So they must have passed the newest event of any account
 * before it, which they have unless an account changed in the last moments. They may not have counted the newest transactions
 * in the quota. These are counted here, and a user who may be over the quota waits for the exact count.
 */
import type { Checkpoint, EventStore, LogEntry, ReadModels } from '../../domain/ports.ts'
import { LEFT_TO_THE_LOG_MS } from '../../domain/webhook/retry-schedule.ts'
import type { Claimed, DeliveryQueue, NewClaim, NewClaims, NewDelivery } from './queue.ts'

/** Milliseconds to wait for the read models to pass the newest event of an account. */
const PATIENCE = 250

/** Transactions that are claimed during one append, and their deliveries. */
const MOST_AHEAD = 64
const MOST_DELIVERIES_AHEAD = 1_024

/**
 * Milliseconds from the answer to a claim, after which one without an entry is given back, at most twice as late: the append failed, or was
 * decided again. Before the answer it stays: the server could make it after it was given back, and it would block its call.
 */
const AHEAD_FOR = 10_000

/** While more transactions than this are missing in the read models, new ones wait for them too. */
const MOST_UNCOUNTED = 20_000

export interface NewAttemptsOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'claimNew' | 'giveBack'>
  isAfter: EventStore['isAfter']
  readModels: ReadModels
  /** Whether no worker can have attempted this entry's deliveries before. */
  isFirst: (entry: LogEntry) => boolean
  /** Whether the queue does not make it yet. Later, its attempt may be made, recorded, and its claim swept: only its rows show that. */
  isLeftToTheLog: (entry: LogEntry) => boolean
  fullRules: () => readonly number[]
  /** Whether a claim may be made during an append. */
  mayClaimAhead: (userIds: ReadonlySet<number>) => boolean
  /**
   * The queue may have claims of this worker that nothing here holds: the response to a claim was lost, or claims could not be given back.
   * Their newest entry has this position; null: it is not known, but it was stored before if at all.
   */
  onLost: (error: unknown, newest: Checkpoint | null) => void
}

type CapturedData = NonNullable<LogEntry['captured']>['data']

/** A transaction that was claimed during its append. */
interface Ahead {
  data: CapturedData
  /** The claims of all transactions of the append. */
  claims: Promise<NewClaims>
  /** When they were answered: milliseconds of `performance.now()`. Infinity before. */
  at: number
}

type NewEntry = LogEntry & { captured: NonNullable<LogEntry['captured']> }

export class NewAttempts {
  readonly #options: NewAttemptsOptions
  /** A position that the read models have passed. */
  #passed: Checkpoint | null = null
  /** Transactions that the read models may not have counted in a quota, in the order of the log, and how many each user has. */
  #uncounted: { user_id: number; checkpoint: Checkpoint }[] = []
  readonly #uncountedOf = new Map<number, number>()
  readonly #ahead = new Map<number, Ahead>()
  readonly #beingGivenBack = new Map<number, Promise<void>>()
  #isDropping = false

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
    return this.isClaimedAhead(entry) || this.#isClaimable(entry)
  }

  /** Whether its deliveries were claimed during its append. The queue does not make them meanwhile. */
  isClaimedAhead({ transaction_id }: LogEntry): boolean {
    return this.#ahead.has(transaction_id)
  }

  /** Transactions that may be claimed: their append is under way, their entry has not come yet, or the claim is being given back. */
  get claimedAhead(): number[] {
    return [...this.#ahead.keys(), ...this.#beingGivenBack.keys()]
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

  /** These transactions are about to be appended by this process. */
  claimAhead(captured: readonly CapturedData[]): void {
    const { worker, queue, fullRules, mayClaimAhead } = this.#options
    const mine = captured.filter(
      (data) => data.rules.length > 0 && data.already_run_of === null && !this.#ahead.has(data.transaction_id),
    )
    const users = new Set(mine.map((data) => data.user_id))
    if (mine.length === 0 || mine.length > MOST_AHEAD || this.#uncounted.length > MOST_UNCOUNTED) return
    if (mine.reduce((sum, { rules }) => sum + rules.length, 0) > MOST_DELIVERIES_AHEAD) return
    if (!mayClaimAhead(users)) return
    const deliveries = mine.flatMap((data) => this.#deliveriesOf(data, this.#ahead.size + mine.length))
    const claims = queue.claimNew(worker, deliveries, fullRules())
    const ahead = mine.map((data): Ahead => ({ data, claims, at: Infinity }))
    for (const each of ahead) this.#ahead.set(each.data.transaction_id, each)
    const answered = (): void => ahead.forEach((each) => (each.at = performance.now()))
    // An entry that comes later reports the failure.
    claims.then(answered, answered)
    this.#dropUnusedLater()
  }

  #dropUnusedLater(): void {
    if (this.#isDropping) return
    this.#isDropping = true
    setTimeout(() => {
      this.#isDropping = false
      const since = performance.now() - AHEAD_FOR
      const unused = [...this.#ahead.values()].filter(({ at }) => at <= since)
      if (unused.length > 0) void this.#giveBack(unused.map(({ data }) => data))
      if (this.#ahead.size > 0) this.#dropUnusedLater()
    }, AHEAD_FOR).unref()
  }

  /** The worker ends. */
  async giveBackUnused(): Promise<void> {
    await this.#giveBack([...this.#ahead.values()].map(({ data }) => data))
  }

  /** @returns the claimed attempts, and the entries that must wait for the read models. It never throws. */
  async claim(entries: readonly LogEntry[]): Promise<{ claimed: Claimed[]; left: LogEntry[] }> {
    const fresh = entries.filter(isWithData)
    // Until then, the old claims are in the way of new ones, or new ones would be given back too.
    if (this.#beingGivenBack.size > 0)
      for (const { transaction_id } of fresh) await this.#beingGivenBack.get(transaction_id)
    const done = await this.#claimedAhead(fresh.filter((entry) => this.isClaimedAhead(entry)))
    const used = new Set(done.used)
    const others = fresh.filter((entry) => !used.has(entry))
    // Judged once: while a claim is made, the answer may change.
    const claimable = new Set(others.filter((entry) => this.#isClaimable(entry)))
    const more = await this.#claimNow([...claimable])
    const unclaimed = others.filter((entry) => !claimable.has(entry))
    return { claimed: [...done.claimed, ...more.claimed], left: [...done.left, ...more.left, ...unclaimed] }
  }

  /** @returns `used`: the entries whose claims were made during their append. The claims of the others were given back. */
  async #claimedAhead(
    entries: readonly NewEntry[],
  ): Promise<{ claimed: Claimed[]; left: NewEntry[]; used: NewEntry[] }> {
    const { isFirst, onLost } = this.#options
    const done = { claimed: [] as Claimed[], left: [] as NewEntry[], used: [] as NewEntry[] }
    const useless: CapturedData[] = []
    for (const entry of entries) {
      const { data, claims } = this.#ahead.get(entry.transaction_id)!
      try {
        const { claimed, left, passed } = await claims
        if (passed !== null) this.hasPassed(passed)
        const { accountsAt } = entry.captured
        const knowsTheRules = accountsAt === null || (passed !== null && !this.#options.isAfter(accountsAt, passed))
        if (!isFirst(entry) || !knowsTheRules || String(data.rules) !== String(entry.captured.data.rules)) {
          useless.push(data)
          continue
        }
        done.used.push(entry)
        if (left.includes(entry.transaction_id)) done.left.push(entry)
        const attemptOf = attemptsOf(entry)
        for (const claim of claimed)
          if (claim.transaction_id === entry.transaction_id) done.claimed.push(attemptOf(claim))
        this.#ahead.delete(entry.transaction_id)
      } catch (error) {
        this.#ahead.delete(entry.transaction_id)
        done.used.push(entry)
        done.left.push(entry)
        onLost(error, entry.checkpoint)
      }
    }
    if (useless.length > 0) await this.#giveBack(useless, entries.at(-1)!.checkpoint)
    return done
  }

  /** It never throws. @param newest  the position of the newest entry of these; null: not known */
  async #giveBack(unused: readonly CapturedData[], newest: Checkpoint | null = null): Promise<void> {
    const { worker, queue, onLost } = this.#options
    const claims = unused.flatMap(({ transaction_id, rules }) =>
      rules.map((rule_id) => ({ transaction_id, rule_id, attempt: 1 })),
    )
    if (claims.length === 0) return
    const givingBack = queue.giveBack(worker, claims).catch((error: unknown) => onLost(error, newest))
    for (const { transaction_id } of unused) {
      this.#ahead.delete(transaction_id)
      this.#beingGivenBack.set(transaction_id, givingBack)
    }
    await givingBack
    for (const { transaction_id } of unused) this.#beingGivenBack.delete(transaction_id)
  }

  async #claimNow(entries: readonly NewEntry[]): Promise<{ claimed: Claimed[]; left: NewEntry[] }> {
    const { worker, queue, fullRules, onLost } = this.#options
    const deliveries = entries.flatMap(({ captured: { data } }) => this.#deliveriesOf(data))
    if (deliveries.length === 0) return { claimed: [], left: [] }
    if (!(await this.#knowTheRules(entries))) return { claimed: [], left: [...entries] }
    try {
      const { claimed, left, passed } = await queue.claimNew(worker, deliveries, fullRules())
      if (passed !== null) this.hasPassed(passed)
      const byTransaction = new Map(
        entries.map((entry) => [entry.transaction_id, { entry, attemptOf: attemptsOf(entry) }]),
      )
      return {
        claimed: claimed.map((claim) => byTransaction.get(claim.transaction_id)!.attemptOf(claim)),
        left: left.map((id) => byTransaction.get(id)!.entry),
      }
    } catch (error) {
      onLost(error, entries.at(-1)!.checkpoint)
      return { claimed: [], left: [...entries] }
    }
  }

  #isClaimable(entry: LogEntry): boolean {
    const { isFirst, isLeftToTheLog } = this.#options
    return this.#isCounted(entry) && isFirst(entry) && isLeftToTheLog(entry)
  }

  /** Whether its user's transactions that the read models may not have counted are known. */
  #isCounted({ captured }: LogEntry): boolean {
    return captured?.data.already_run_of === null && this.#uncounted.length <= MOST_UNCOUNTED
  }

  /** @param more  transactions of all users that may be appended and are not in the log yet */
  #deliveriesOf({ transaction_id, user_id, created_at, rules }: CapturedData, more = this.#ahead.size): NewDelivery[] {
    const uncounted = (this.#uncountedOf.get(user_id) ?? 0) + more
    return [...new Set(rules)].map((rule_id) => ({
      transaction_id, rule_id, user_id, captured_at: created_at, uncounted,
    })) // prettier-ignore
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

/** First attempts of a transaction that has nothing but its capture. They share its data: a transaction may fire very many rules. */
const attemptsOf = ({ user_id, captured: { data } }: NewEntry): ((claim: NewClaim) => Claimed) => {
  const due_at = new Date(Date.parse(data.created_at) + LEFT_TO_THE_LOG_MS).toISOString()
  const transaction: Claimed['transaction'] = {
    id: data.transaction_id, user_id, bank_code: data.bank_code, bank_name: data.bank_name,
    transaction_type: data.transaction_type, amount: data.amount, currency: data.currency,
    balance_after: data.balance_after, account_number: data.account_number, transaction_ref: data.transaction_ref,
    transaction_date: data.transaction_date, description: data.description, content: data.content,
    counterpart_name: data.counterpart_name, order_id: data.order_id, prefix: data.prefix,
    already_run_of: data.already_run_of, webhook_status: data.webhook_status, created_at: data.created_at,
  } // prettier-ignore
  const deliveries: Claimed['deliveries'] = [...new Set(data.rules)].map((rule) => ({
    rule_id: rule, status: 'open', attempt: 0, round_base: 0, due_at,
  })) // prettier-ignore
  return ({ transaction_id, rule_id, rule, endpoint }) => ({
    transaction_id, rule_id, user_id, attempt: 1, lane: 'first', due_at, captured_at: data.created_at, isLast: false,
    isReplay: false, rule, endpoint, transaction, deliveries,
  }) // prettier-ignore
}
