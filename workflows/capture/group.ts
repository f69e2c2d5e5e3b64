// Tests: tests/integration/capture/contention.test.ts
/**
 * Takes one group of notifications from its accounts and deduplication windows to the store: **at most one read, one
 * append**, whatever its size. The group is first decided on the cached accounts and windows. If nothing else is needed
 * and the store compares unwritten streams, the append itself shows whether they are complete. Otherwise the read shows
 * it. It also returns the streams that a resend or a copy needs: whether its first transaction exists, and whether it was
 * deleted. The group is decided again only if the read returns something new.
 */
import type { Account } from '../../domain/account/account.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Clock, EventStore, Ids, Slice, StreamAppend, UnitResult } from '../../domain/ports.ts'
import { NO_STREAM } from '../../domain/ports.ts'
import { ignoredStream, unreadStream } from '../../domain/arrival/events.ts'
import { foldPlanOrder } from '../../domain/plan-order/plan-order.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import type { AccountCache } from '../accounts/accounts.ts'
import type { Folded } from '../support/fold-cache.ts'
import type { CreditMemory } from '../../domain/credits/memory.ts'
import type { CreditMemories } from '../credits/memories.ts'
import type { WarmWindows, WarmWindow } from './warm-windows.ts'
import type { WindowSnapshots } from './window-snapshots.ts'
import type { IgnoredRevisions } from './ignored-revisions.ts'
import { missingOf, type Missing } from './missing.ts'
import type { RecentConflicts } from './recent-conflicts.ts'
import { Draft, type Looked } from './draft.ts'
import type { LookedOrder } from './plan-payments.ts'
import { keptId, type Job } from './job.ts'
import { capturedIn, type Answer, type DraftUnit } from './units.ts'

export interface GroupPorts {
  store: EventStore
  ids: Ids
  clock: Clock
  accounts: AccountCache
  windows: WarmWindows
  snapshots: WindowSnapshots | null
  credits: CreditMemories
  ignoredRevisions: IgnoredRevisions
  /** Called with new transactions when their append begins. It may fail, and they may be decided again. */
  onAppending: ((captured: readonly TransactionEventData['TransactionCaptured'][]) => void) | undefined
  /** Ids that an earlier group reserved and did not use. */
  spareIds: number[]
  conflicts: RecentConflicts
  /** How long to wait for the writer of an entry whose transaction is missing, milliseconds. */
  unfinishedMs: number
}

export interface GroupDone {
  answers: Answer[]
  /** Another process was faster. These jobs must be decided again. */
  again: Job[]
  /** These jobs must be decided again after a short wait. */
  postponed: Job[]
}

/**
 * A larger group reads first. The read costs one round trip for the whole group, and comparing the accounts in the append
 * costs more with each unit.
 */
const SMALL = 8

/** The states that a group first reads from snapshots. */
interface Cold {
  snapshots: WindowSnapshots
  windows: readonly WarmWindow[]
  users: readonly number[]
}

class Group {
  readonly #ports: GroupPorts
  readonly #jobs: readonly Job[]
  readonly #accounts = new Map<number, Folded<Account | null>>()
  readonly #windows = new Map<string, WarmWindow>()
  readonly #windowOf = new Map<Job, WarmWindow>()
  readonly #looked = new Map<number, Looked>()
  readonly #orders = new Map<number, LookedOrder>()
  /** Memories of credits that were loaded for this group. */
  readonly #credits = new Map<number, CreditMemory>()
  /** Nothing was read. The append compares the accounts too. */
  #isUnread = false

  constructor(ports: GroupPorts, jobs: readonly Job[]) {
    this.#ports = ports
    this.#jobs = jobs
    for (const job of jobs) {
      job.tries++
      this.#accounts.set(job.userId, ports.accounts.get(String(job.userId)))
      if (job.read.reading) this.#windowOf.set(job, this.#window(job.userId, job.read.reading.bank_code))
    }
  }

  async run(): Promise<GroupDone> {
    try {
      const cold = this.#cold()
      if (cold) await this.#warm(cold)
      const ids = await this.#reserve()
      const { draft, used } = await this.#decide(ids)
      const results = await this.#append(draft)
      // In a store without transactions, a failed unit may have left events. So its ids are not reused.
      if (results.every(({ ok }) => ok)) this.#ports.spareIds.push(...ids.slice(used))
      const done = this.#settle(draft, results)
      for (const warm of this.#windows.values()) this.#ports.snapshots?.offer(warm)
      return done
    } finally {
      for (const warm of this.#windows.values()) this.#ports.windows.put(warm)
    }
  }

  /** The states that are not cached; null if all are, or if there are no snapshots. */
  #cold(): Cold | null {
    const { snapshots, accounts } = this.#ports
    if (!snapshots) return null
    const windows = [...this.#windows.values()].filter(({ isCold }) => isCold)
    const users = [...this.#accounts.keys()].filter((user) => !accounts.has(String(user)))
    return windows.length + users.length > 0 ? { snapshots, windows, users } : null
  }

  async #warm({ snapshots, windows, users }: Cold): Promise<void> {
    const { accounts, store } = this.#ports
    // The group must not end, and give its windows back, while one of them is still being filled.
    const loaded = await Promise.allSettled([
      ...windows.map((warm) => snapshots.load(warm)),
      ...users.map(async (user) => this.#accounts.set(user, await accounts.load(store, String(user)))),
    ])
    for (const result of loaded) if (result.status === 'rejected') throw result.reason
  }

  #window(userId: number, bankCode: string): WarmWindow {
    const key = `${userId} ${bankCode}`
    const held = this.#windows.get(key)
    if (held) return held
    const warm = this.#ports.windows.take(userId, bankCode)
    this.#windows.set(key, warm)
    return warm
  }

  async #reserve(): Promise<number[]> {
    const spare = this.#ports.spareIds.splice(0, this.#jobs.length)
    const short = this.#jobs.length - spare.length
    return short > 0 ? [...spare, ...(await this.#ports.ids.next(short))] : spare
  }

  /**
   * Decides first on the cached state. It is nearly always complete, and then the read returns nothing new. Otherwise
   * the decisions are undone and made again with the new events.
   */
  async #decide(ids: readonly number[]): Promise<{ draft: Draft; used: number }> {
    const now = this.#ports.clock.now().getTime()
    for (const { window } of this.#windows.values()) window.dropExpired(now)
    let drafted = this.#draft(ids)
    try {
      this.#isUnread = this.#needsNoRead(drafted.draft)
      if (this.#isUnread || !(await this.#read(drafted.draft))) return drafted
      for (;;) {
        drafted = this.#draft(ids)
        const { missingCredits } = drafted.draft
        const missing = missingOf(drafted.draft)
        if (missing.length === 0 && missingCredits.size === 0) return drafted
        drafted.draft.undo()
        await this.#loadCredits(missingCredits)
        if (missing.length > 0)
          this.#keep(missing, await this.#ports.store.read(missing.map(({ stream }) => ({ stream }))))
      }
    } catch (error) {
      drafted.draft.undo()
      throw error
    }
  }

  #draft(ids: readonly number[]): { draft: Draft; used: number } {
    let used = 0
    const draft = new Draft({
      at: this.#ports.clock.now(),
      looked: this.#looked,
      orders: this.#orders,
      credits: (userId) => this.#credits.get(userId) ?? this.#ports.credits.get(userId, this.#ports.clock.now()),
      nextId: () => ids[used++]!,
      ignoredRevision: (userId) => this.#ports.ignoredRevisions.of(userId),
      mayFinish: (job) => this.#mayFinish(job),
    })
    for (const job of this.#jobs) draft.add(job, this.#accounts.get(job.userId)!.state, this.#windowOf.get(job) ?? null)
    return { draft, used }
  }

  /** Whether the expected revisions of the units show that the decisions were made on the current state. */
  #needsNoRead(draft: Draft): boolean {
    const { store, accounts, conflicts } = this.#ports
    if (!store.comparesUnwritten || this.#jobs.length > SMALL) return false
    const isDecided = draft.missingCredits.size === 0 && missingOf(draft).length === 0
    return (
      isDecided &&
      draft.settled.length === 0 &&
      draft.postponed.length === 0 &&
      this.#jobs.every(({ tries }) => tries === 1) &&
      [...this.#accounts.keys()].every((user) => accounts.has(String(user)) && !conflicts.has(user)) &&
      [...this.#windows.values()].every(({ isBehind }) => !isBehind) &&
      draft.units.all.every(({ entries, answers }) => entries.length > 0 && answers.length > 0)
    )
  }

  /** The account of a unit, at the revision on which the unit was decided. */
  #accountOf({ answers }: DraftUnit): StreamAppend {
    const key = answers[0]!.job.userId
    const { stream } = this.#ports.accounts.slice(String(key))
    return { stream, expectedRevision: this.#accounts.get(key)!.revision, events: [] }
  }

  /**
   * Reads accounts and windows up to their end, and the streams that a draft misses, in one round trip.
   * @returns whether there was anything new; then the draft is already undone
   */
  async #read(draft: Draft): Promise<boolean> {
    const { store, accounts, snapshots } = this.#ports
    const missing = missingOf(draft)
    const users = [...this.#accounts.keys()]
    const windows = [...this.#windows.values()]
    const known = users.map((user) => this.#accounts.get(user)!)
    const answers = await store.read([
      ...users.map((user, n): Slice => ({ ...accounts.slice(String(user)), from: known[n]!.revision + 1 })),
      ...windows.map((warm) => snapshots?.slice(warm) ?? warm.slice()),
      ...missing.map(({ stream }): Slice => ({ stream })),
    ])
    const isChanged = missing.length > 0 || draft.missingCredits.size > 0 || answers.some((events) => events.length > 0)
    if (isChanged) draft.undo()
    users.forEach((user, n) => this.#accounts.set(user, accounts.advance(String(user), answers[n] ?? [], known[n])))
    for (const [n, warm] of windows.entries()) {
      const events = answers[users.length + n] ?? []
      warm.readOn((await snapshots?.catchUp(warm, events)) ?? events)
    }
    this.#keep(missing, answers.slice(users.length + windows.length))
    return isChanged
  }

  async #loadCredits(users: ReadonlySet<number>): Promise<void> {
    const { store, credits, clock } = this.#ports
    for (const user of users) this.#credits.set(user, await credits.load(store, user, clock.now()))
  }

  #keep(missing: readonly Missing[], streams: readonly (readonly StoredEvent[])[]): void {
    missing.forEach(({ kind, id }, n) => {
      const events = streams[n] ?? []
      const revision = events.at(-1)?.revision ?? NO_STREAM
      if (kind === 'transaction') this.#looked.set(id, { state: foldTransaction(events), revision })
      else this.#orders.set(id, { state: foldPlanOrder(events), revision })
    })
  }

  #mayFinish(job: Job): boolean {
    job.metUnfinishedAt ??= performance.now()
    return performance.now() - job.metUnfinishedAt >= this.#ports.unfinishedMs
  }

  async #append(draft: Draft): Promise<UnitResult[]> {
    const units = draft.units.appends((unit) => (this.#isUnread ? [this.#accountOf(unit)] : []))
    if (units.length === 0) return []
    this.#ports.onAppending?.(capturedIn(units))
    try {
      return await this.#ports.store.append(units)
    } catch (error) {
      draft.undo()
      throw error
    }
  }

  #settle(draft: Draft, results: readonly UnitResult[]): GroupDone {
    const done: GroupDone = { answers: draft.settled, again: [], postponed: draft.postponed }
    const failed = new Set<WarmWindow>()
    draft.units.all.forEach((unit, n) => {
      const result = results[n]!
      if (!result.ok) this.#conflicted(unit.answers, result.conflict)
      if (result.ok) done.answers.push(...unit.answers)
      else done.again.push(...unit.answers.map(({ job }) => job))
      if (unit.warm && !result.ok) failed.add(unit.warm)
      if (result.ok && !unit.warm) this.#ports.ignoredRevisions.written(unit.answers[0]!.job.userId, unit.others)
    })
    // If any unit of a window failed, only the store has its current state. So the window is read on from its last
    // revision.
    if (failed.size > 0) draft.undo()
    else draft.keep()
    return done
  }

  #conflicted(answers: readonly Answer[], { stream, revision }: { stream: string; revision: number }): void {
    for (const warm of this.#windows.values()) if (warm.stream === stream) warm.conflicted(revision)
    for (const { job } of answers) {
      this.#ports.conflicts.note(job.userId)
      const kept = keptId(job)
      if (kept !== null && stream === unreadStream(kept)) job.isClosed = true
      if (stream === ignoredStream(job.userId)) this.#ports.ignoredRevisions.set(job.userId, revision)
    }
  }
}

/** @throws {StoreUnavailable} if nothing is known to be stored; folds are unchanged */
export const runGroup = (ports: GroupPorts, jobs: readonly Job[]): Promise<GroupDone> => new Group(ports, jobs).run()
