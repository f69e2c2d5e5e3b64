/**
 * The decisions of one group, before they are stored. Notifications are decided one after the other, each with what the
 * earlier ones have added to the deduplication window. All notifications of one event go into one unit, in this order:
 * the entries in the window, the first transaction (captured or completed), and the copies' own transactions. On a
 * store without transactions over streams, this order matters: if a notification's own transaction exists, everything
 * before it is done.
 */
import type { Account } from '../../domain/account/account.ts'
import { isSwitchedOff } from '../../domain/account/bank-accounts.ts'
import { isEventOf } from '../../domain/catalogue.ts'
import { dedupEvents } from '../../domain/dedup/events.ts'
import { verdictOn, type Verdict } from '../../domain/dedup/verdict.ts'
import { NO_STREAM } from '../../domain/ports.ts'
import type { Taken } from '../../domain/arrival/arrival.ts'
import { UNREAD_ONLY, ignoredStream, unreadStream, type IgnoredReason } from '../../domain/arrival/events.ts'
import { isConfirmed, type Appraised, type Movement } from '../../domain/transaction/appraisal.ts'
import { captured, ignored, reread, seen, unread } from '../../domain/transaction/capture.ts'
import { completed, completes, contradictedBy, isRemembered } from '../../domain/transaction/copies.ts'
import { transactionStream, type TransactionEvent } from '../../domain/transaction/events.ts'
import { evolveAll, type Transaction } from '../../domain/transaction/transaction.ts'
import type { CreditMemory } from '../../domain/credits/memory.ts'
import type { WarmWindow } from './warm-windows.ts'
import { appraiseJob, isListedAs, keptId, probeOf, type Job } from './job.ts'
import { type LookedOrder, openPlanPayments, type PlanPayments } from './plan-payments.ts'
import { Units, type Answer, type DraftUnit, type Outcome } from './units.ts'

/** A transaction from its stream. `revision` is NO_STREAM if nothing was written yet. */
export interface Looked {
  state: Transaction
  revision: number
}

export interface DraftContext {
  at: Date
  /** Transactions read so far, by id. */
  looked: ReadonlyMap<number, Looked>
  /** Plan orders read so far, by id. */
  orders: ReadonlyMap<number, LookedOrder>
  /** The memory of an account's credits of two years; null if it must be loaded. */
  credits: (userId: number) => CreditMemory | null
  /** Next unused id. */
  nextId: () => number
  /** The expected revision of a user's stream of ignored notifications. */
  ignoredRevision: (userId: number) => number
  /** Whether a job has waited long enough for the writer of an entry whose transaction is missing. */
  mayFinish: (job: Job) => boolean
}

const UNREAD: Taken = { kind: 'ignored', reason: 'unparsed' }

export class Draft {
  /** Answers that need nothing stored. */
  readonly settled: Answer[] = []
  /** Jobs that wait, because the writer of their entry may still be working. */
  readonly postponed: Job[] = []
  /** Transactions that must be read before this can be decided. */
  readonly missing = new Set<number>()
  /** Accounts whose memory of credits must be loaded first. */
  readonly missingCredits = new Set<number>()
  /** Plan orders that must be read first. */
  readonly missingOrders = new Set<number>()
  readonly units: Units
  readonly #touched = new Map<WarmWindow, number>()
  /** Transactions after these decisions. */
  readonly #drafted = new Map<number, Looked>()
  readonly #plans: PlanPayments
  readonly #context: DraftContext

  constructor(context: DraftContext) {
    this.#context = context
    this.units = new Units(context.at)
    this.#plans = openPlanPayments(this.units, context.orders, context.at)
  }

  /** @param warm  the deduplication window of the bank that the text was read as; null if it was not read */
  add(job: Job, account: Account | null, warm: WarmWindow | null): void {
    const appraised = appraiseJob(job, account)
    if (job.isClosed) this.settled.push({ job, taken: UNREAD, outcome: 'resend' })
    else if (!appraised) this.settled.push({ job, taken: { kind: 'unauthorized' }, outcome: 'unauthorized' })
    else if (appraised.kind === 'unread') this.#unread(job, appraised)
    else if (appraised.kind === 'ignored') this.#ignore(job, appraised, appraised.reason)
    else if (warm) this.#judge(job, appraised, warm)
  }

  /** Removes everything from the windows again. A second call changes nothing: they may have been read on. */
  undo(): void {
    for (const [warm, size] of this.#touched) warm.window.backTo(size)
    this.#touched.clear()
  }

  /** Updates the windows to the state of the store: with every unit, in the order of the units. */
  keep(): void {
    // A unit with several entries is stored before units that were decided between its entries.
    if (this.units.all.some(({ entries }) => entries.length > 1)) {
      this.undo()
      for (const { warm, entries } of this.units.all)
        for (const entry of entries) if (isEventOf(dedupEvents, entry)) warm?.window.see(entry.data)
    }
    for (const { warm, entries } of this.units.all) {
      if (!warm || entries.length === 0) continue
      warm.revision += entries.length
      warm.lastId = entries.at(-1)!.id
    }
  }

  // --- notifications without a transaction -------------------------------------------------------------------------

  #unread(job: Job, appraised: Exclude<Appraised, Movement>): void {
    if (keptId(job) !== null) return void this.settled.push({ job, taken: UNREAD, outcome: 'unread' })
    if (isListedAs(job, 'unparsed')) return void this.settled.push({ job, taken: UNREAD, outcome: 'resend' })
    const id = this.#context.nextId()
    const unit = this.units.open(null)
    this.units.write(unit, unreadStream(id), NO_STREAM, job, [unread(id, job.userId, appraised)])
    unit.answers.push({ job, taken: UNREAD, outcome: 'unread' })
  }

  #ignore(job: Job, appraised: Appraised, reason: IgnoredReason): void {
    const taken: Taken = { kind: 'ignored', reason }
    if (isListedAs(job, reason)) return void this.settled.push({ job, taken, outcome: 'resend' })
    const stream = ignoredStream(job.userId)
    const unit = this.units.of(stream, null)
    const fact = ignored(this.#context.nextId(), job.userId, appraised, reason)
    this.units.write(unit, stream, this.#context.ignoredRevision(job.userId), job, [fact])
    this.#close(unit, job, { reason })
    unit.answers.push({ job, taken, outcome: 'ignored' })
  }

  // --- movements ---------------------------------------------------------------------------------------------------

  #judge(job: Job, movement: Movement, warm: WarmWindow): void {
    const { plan_order_id } = movement
    if (plan_order_id !== null && !this.#plans.order(plan_order_id)) return void this.missingOrders.add(plan_order_id)
    const verdict = verdictOn(warm.window, probeOf(job, movement, warm), movement.origin.channel === 'push')
    if (verdict.kind === 'new') return this.#judgeByMemory(job, movement, warm)
    const of = verdict.kind === 'copy' ? verdict.event : verdict.of
    const [first, own] = [this.#look(verdict.event), this.#look(of)]
    if (!first) this.missing.add(verdict.event)
    if (!own) this.missing.add(of)
    if (!first || !own) return
    if (own.state?.phase === 'deleted') return this.#ignore(job, movement, 'deleted')
    if (verdict.kind === 'resend' && own.state) return this.#again(job, movement, warm, verdict)
    // An entry without its transaction: its writer may still be writing it.
    const unfinished = verdict.kind === 'resend' || !first.state
    if (unfinished && !this.#context.mayFinish(job)) this.postponed.push(job)
    else if (first.state?.phase === 'deleted') this.#ignore(job, movement, 'deleted')
    else if (verdict.kind === 'copy') this.#copy(job, movement, warm, verdict.event)
    else this.#finish(job, movement, warm, verdict)
  }

  /**
   * The deduplication window does not have it. If the account's memory has the credit, it is still a copy: the window
   * has dropped it.
   */
  #judgeByMemory(job: Job, movement: Movement, warm: WarmWindow): void {
    if (movement.marks.length === 0) return this.#record(job, movement, warm)
    const memory = this.#context.credits(job.userId)
    if (!memory) return void this.missingCredits.add(job.userId)
    const first = movement.marks.map((mark) => memory.firstOf(mark)).find((id) => id !== null)
    // If the window has the credit, the comparison was made there.
    if (first === undefined || warm.window.holds(first, probeOf(job, movement, warm)))
      return this.#record(job, movement, warm)
    const looked = this.#look(first)
    if (!looked) return void this.missing.add(first)
    if (looked.state?.phase === 'deleted') return this.#ignore(job, movement, 'deleted')
    if (!looked.state || !isRemembered(looked.state, movement)) return this.#record(job, movement, warm)
    this.#copy(job, movement, warm, first)
  }

  /** The first notification of an event. */
  #record(job: Job, movement: Movement, warm: WarmWindow): void {
    const id = keptId(job) ?? this.#context.nextId()
    const unit = this.#plans.unitOf(movement, warm, id) ?? this.#unitOf(warm, id)
    this.#enter(unit, job, movement, warm, id, null)
    this.#capture(unit, job, movement, id, null)
    this.#answer(unit, job, movement, id, 'new')
  }

  /** A copy of an event. The first notification's transaction exists, or is written here from the copy's own text. */
  #copy(job: Job, movement: Movement, warm: WarmWindow, event: number): void {
    const id = keptId(job) ?? this.#context.nextId()
    const unit = this.#unitOf(warm, event)
    this.#enter(unit, job, movement, warm, id, event)
    this.#settleFirst(unit, job, movement, id, event)
    this.#capture(unit, job, movement, id, event)
    this.#answer(unit, job, movement, id, 'copy')
  }

  /** The same notification again. The answer waits for what is stored: its transaction in this draft, or its new stamp. */
  #again(job: Job, movement: Movement, warm: WarmWindow, verdict: Extract<Verdict, { kind: 'resend' }>): void {
    const { of, event, isNewStamp = false } = verdict
    const isStored = isNewStamp || this.#drafted.has(of) || keptId(job) !== null
    const unit = isStored ? this.#unitOf(warm, event) : null
    if (unit && isNewStamp) {
      this.#touch(warm)
      warm.window.addResend(of, probeOf(job, movement, warm))
      this.units.enter(unit, job, [seen(of, movement, of)])
    }
    this.#answer(unit, job, movement, of, 'resend')
  }

  /** Writes what the writer of an entry did not write, under the ids in the deduplication window. */
  #finish(job: Job, movement: Movement, warm: WarmWindow, { of, event }: Extract<Verdict, { kind: 'resend' }>): void {
    const unit = this.#unitOf(warm, event)
    if (of !== event) this.#settleFirst(unit, job, movement, of, event)
    this.#capture(unit, job, movement, of, of === event ? null : event)
    this.#answer(unit, job, movement, of, 'finished')
  }

  /**
   * `already_run` is written only after the first transaction, and after that one has the order id that this copy
   * brings.
   */
  #settleFirst(unit: DraftUnit, job: Job, movement: Movement, copy: number, event: number): void {
    const first = this.#look(event)!
    if (!first.state) this.#capture(unit, job, movement, event, null)
    else if (first.state.phase === 'live' && completes(first.state, movement)) {
      const payment = first.state.held ? null : this.#plans.pay(unit, job, movement, event)
      const isOff = isSwitchedOff(job.appraisal!.account!, first.state)
      this.#append(unit, job, event, completed(first.state, copy, movement, payment, isOff))
    }
  }

  #enter(unit: DraftUnit, job: Job, movement: Movement, warm: WarmWindow, id: number, event: number | null): void {
    this.#touch(warm)
    warm.window.add(id, event ?? id, probeOf(job, movement, warm))
    this.units.enter(unit, job, [seen(id, movement, event)])
  }

  #touch(warm: WarmWindow): void {
    if (!this.#touched.has(warm)) this.#touched.set(warm, warm.window.size)
  }

  #capture(unit: DraftUnit, job: Job, movement: Movement, id: number, copyOf: number | null): void {
    const payment = copyOf === null ? this.#plans.pay(unit, job, movement, id) : null
    const first = copyOf === null ? null : this.#look(copyOf)?.state
    const contradicts = first?.phase === 'live' ? contradictedBy(first, movement) : null
    this.#append(unit, job, id, [captured(id, job.userId, movement, copyOf, payment, contradicts)])
  }

  #append(unit: DraftUnit, job: Job, id: number, facts: readonly TransactionEvent[]): void {
    if (facts.length === 0) return
    const before = this.#look(id) ?? { state: null, revision: NO_STREAM }
    this.units.write(unit, transactionStream(id), before.revision, job, facts)
    const state = evolveAll(before.state, facts, this.#context.at.toISOString())
    this.#drafted.set(id, { state, revision: before.revision + facts.length })
  }

  #answer(unit: DraftUnit | null, job: Job, movement: Movement, id: number, outcome: Outcome): void {
    const state = this.#look(id)?.state
    const webhook_status = state?.phase === 'live' ? state.webhook_status : 'pending'
    const taken: Taken = { kind: 'transaction', id, webhook_status, source_type: movement.origin.source_type }
    if (unit) this.#close(unit, job, { transaction_id: id })
    const answers = unit?.answers ?? this.settled
    answers.push({ job, taken, outcome })
  }

  /** Closes an unread notification. This is written last, after its transaction. */
  #close(unit: DraftUnit, job: Job, outcome: Parameters<typeof reread>[1]): void {
    const id = keptId(job)
    if (id === null) return
    const { arrived_at } = job.arrival
    const origin = job.appraisal!.appraised!.origin
    const notification = {
      notification_id: id,
      user_id: job.userId,
      source_type: origin.source_type,
      received_at: arrived_at.toISOString(),
    }
    const fact = reread(notification, { ...outcome, ...(isConfirmed(job.arrival) && { confirmed: true }) })
    this.units.write(unit, unreadStream(id), UNREAD_ONLY, job, [fact])
  }

  #look(id: number): Looked | null {
    return this.#drafted.get(id) ?? this.#context.looked.get(id) ?? null
  }

  /** One unit per event, for all its notifications in the group. */
  #unitOf(warm: WarmWindow, event: number): DraftUnit {
    return this.units.of(transactionStream(event), warm)
  }
}
