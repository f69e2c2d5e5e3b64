// Tests: tests/integration/mail-ingest/collect.test.ts
/**
 * All mailboxes of the installation, shared among the processes that collect. Each process holds a lease on the
 * mailboxes that it reads, and renews all of them with one statement. It notices added, changed and removed mailboxes
 * within one round.
 */
import { waitUnlessAborted } from '../support/abort.ts'
import { collectMailbox } from './collect-mailbox.ts'
import type { Mailbox } from './mailbox.ts'
import type { CollectParts } from './session.ts'

/** Of all processes that want a lease, one holds it. Many leases are handled at once. */
export interface Leases {
  /** For how long a held lease can be trusted: milliseconds, counted from before the request. */
  readonly trustedMs: number
  /**
   * Renews the leases that this process holds among these names, and takes free ones. @returns the names that it holds
   * now
   */
  keep(names: readonly string[]): Promise<Set<string>>
  release(names: readonly string[]): Promise<void>
}

export interface CollectorParts extends CollectParts {
  /** The mailboxes to collect. */
  mailboxes(): Promise<Mailbox[]>
  leases: Leases
  /** From 0 up to 1. */
  random: () => number
  /** Called with the number of held mailboxes. */
  onHeld?: (mailboxes: number) => void
}

const ROUND_MS = 2_000
/** Mailboxes beyond this number are left to another process. */
const MOST_HELD = 500

const leaseOf = (mailAccountId: number): string => `mailbox ${mailAccountId}`

interface Held {
  mailbox: Mailbox
  stop: AbortController
  done: Promise<void>
}

class Collector {
  readonly #parts: CollectorParts
  readonly #held = new Map<number, Held>()

  constructor(parts: CollectorParts) {
    this.#parts = parts
  }

  async round(): Promise<void> {
    const wanted = new Map((await this.#parts.mailboxes()).map((each) => [each.mail_account_id, each]))
    await this.#forget([...this.#held.keys()].filter((id) => !wanted.has(id)))
    const asked = this.#asked([...wanted.keys()])
    const mine = await this.#parts.leases.keep(asked.map(leaseOf))
    await this.#end([...this.#held.keys()].filter((id) => !mine.has(leaseOf(id))))
    for (const id of asked) if (mine.has(leaseOf(id))) await this.#hold(wanted.get(id)!)
    this.#parts.onHeld?.(this.#held.size)
  }

  /**
   * The mailboxes it holds, and others as far as there is room. The others are in random order, so that processes do
   * not all ask for the same ones.
   */
  #asked(wanted: readonly number[]): number[] {
    const others = wanted.filter((id) => !this.#held.has(id))
    const room = Math.max(0, MOST_HELD - this.#held.size)
    if (others.length > room) others.sort(() => this.#parts.random() - 0.5)
    return [...wanted.filter((id) => this.#held.has(id)), ...others.slice(0, room)]
  }

  /** A changed mailbox is started again. */
  async #hold(mailbox: Mailbox): Promise<void> {
    const id = mailbox.mail_account_id
    const present = this.#held.get(id)
    if (present?.mailbox.account_revision === mailbox.account_revision) return
    present?.stop.abort()
    await present?.done
    const stop = new AbortController()
    const done = collectMailbox(this.#parts, mailbox, stop.signal).catch(this.#parts.onFailure)
    this.#held.set(id, { mailbox, stop, done })
  }

  /** Mailboxes that are no longer wanted: their earlier errors must not count when they are switched on again. */
  async #forget(ids: readonly number[]): Promise<void> {
    const mailboxes = ids.map((id) => this.#held.get(id)!.mailbox)
    await this.#end(ids)
    await Promise.all(mailboxes.map((mailbox) => this.#parts.notes.report(mailbox, null)))
  }

  async #end(ids: readonly number[]): Promise<void> {
    const ending = ids.map((id) => this.#held.get(id)!)
    for (const { stop } of ending) stop.abort()
    await Promise.all(ending.map(({ done }) => done))
    for (const id of ids) this.#held.delete(id)
    if (ids.length > 0) await this.#parts.leases.release(ids.map(leaseOf))
  }

  /** Stops all reading, because another process may hold the leases by now. */
  abandon(): void {
    for (const { stop } of this.#held.values()) stop.abort()
    this.#held.clear()
    this.#parts.onHeld?.(0)
  }

  end(): Promise<void> {
    return this.#end([...this.#held.keys()])
  }
}

/** Runs until the signal aborts. While the database is unavailable, it keeps retrying. */
export const runCollector = async (parts: CollectorParts, signal: AbortSignal): Promise<void> => {
  const collector = new Collector(parts)
  let trusted: NodeJS.Timeout | undefined
  while (!signal.aborted) {
    const asked = performance.now()
    try {
      await collector.round()
      clearTimeout(trusted)
      trusted = setTimeout(() => collector.abandon(), asked + parts.leases.trustedMs - performance.now())
    } catch (error) {
      parts.onFailure(error)
    }
    await waitUnlessAborted(ROUND_MS, signal)
  }
  clearTimeout(trusted)
  await collector.end().catch(parts.onFailure)
}
