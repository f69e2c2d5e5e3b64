/**
 * All mailboxes of the installation, shared out among the processes that collect: each holds a lease on the mailboxes it
 * reads, and renews all of them by one statement. A mailbox that is added, changed or taken away is met within a round.
 */
import { waitUnlessAborted } from '../support/abort.ts'
import { collectMailbox, type CollectParts } from './collect-mailbox.ts'
import type { Mailbox } from './mailbox.ts'

/** Of all processes that want a thing, one has it; many things at once. */
export interface Leases {
  /** Milliseconds for which what was held is to be trusted, counted from before it was asked. */
  readonly trustedMs: number
  /** Renews what this process holds of these and takes what is free. @returns those it holds now */
  keep(names: readonly string[]): Promise<Set<string>>
  release(names: readonly string[]): Promise<void>
}

export interface CollectorParts extends CollectParts {
  /** Those that are to be collected. */
  mailboxes(): Promise<Mailbox[]>
  leases: Leases
  /** From 0 up to 1. */
  random: () => number
  /** Told how many mailboxes are held. */
  onHeld?: (mailboxes: number) => void
}

const ROUND_MS = 2_000
/** More than this are left to another process. */
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
    await this.#end([...this.#held.keys()].filter((id) => !wanted.has(id)))
    const asked = this.#asked([...wanted.keys()])
    const mine = await this.#parts.leases.keep(asked.map(leaseOf))
    await this.#end([...this.#held.keys()].filter((id) => !mine.has(leaseOf(id))))
    for (const id of asked) if (mine.has(leaseOf(id))) await this.#hold(wanted.get(id)!)
    this.#parts.onHeld?.(this.#held.size)
  }

  /** What it has, and others as far as there is room; in any order, as processes should not all ask for the same. */
  #asked(wanted: readonly number[]): number[] {
    const others = wanted.filter((id) => !this.#held.has(id))
    const room = Math.max(0, MOST_HELD - this.#held.size)
    if (others.length > room) others.sort(() => this.#parts.random() - 0.5)
    return [...wanted.filter((id) => this.#held.has(id)), ...others.slice(0, room)]
  }

  /** One that was changed is begun anew. */
  async #hold(mailbox: Mailbox): Promise<void> {
    const id = mailbox.mail_account_id
    const present = this.#held.get(id)
    if (present?.mailbox.account_revision === mailbox.account_revision) return
    present?.stop.abort()
    await present?.done
    const stop = new AbortController()
    const done = collectMailbox(this.#parts, mailbox, stop.signal).catch(this.#parts.onTrouble)
    this.#held.set(id, { mailbox, stop, done })
  }

  async #end(ids: readonly number[]): Promise<void> {
    const ending = ids.map((id) => this.#held.get(id)!)
    for (const { stop } of ending) stop.abort()
    await Promise.all(ending.map(({ done }) => done))
    for (const id of ids) this.#held.delete(id)
    if (ids.length > 0) await this.#parts.leases.release(ids.map(leaseOf))
  }

  /** Nothing is read under a lease that may be another's by now. */
  abandon(): void {
    for (const { stop } of this.#held.values()) stop.abort()
    this.#held.clear()
    this.#parts.onHeld?.(0)
  }

  end(): Promise<void> {
    return this.#end([...this.#held.keys()])
  }
}

/** Runs until the signal aborts; what is away is waited for. */
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
      parts.onTrouble(error)
    }
    await waitUnlessAborted(ROUND_MS, signal)
  }
  clearTimeout(trusted)
  await collector.end().catch(parts.onTrouble)
}
