// Tests: tests/contract/event-store/postgres.test.ts
/**
 * Appends of one process are sent in groups. One statement is in flight at a time; appends that arrive meanwhile form the
 * next group. So a lone append is sent at once, and under load hundreds of appends share the cost of a commit (one wait for
 * the disk).
 *
 * A group is sent until it is answered (`group-statement.ts`), and each append waits for its result until its deadline at most
 * (`waiting-appends.ts`).
 */
import { DiskFull, StoreUnavailable, StoreWentBack } from '../../../domain/errors.ts'
import type { UnitResult } from '../../../domain/ports.ts'
import { Gather } from '../../../workflows/support/gather.ts'
import { retry } from '../../../workflows/support/retry.ts'
import { awakeNow } from '../../system/awake.ts'
import { isDiskFull } from '../../system/disk.ts'
import type { EncodedCall } from '../encoding.ts'
import { BACK_OFF } from '../until-answered.ts'
import type { Connection } from './connection.ts'
import { sendGroup } from './group-statement.ts'
import { isOutage } from './outage.ts'
import { rejectLate, settle, WaitingAppends, type WaitingAppend } from './waiting-appends.ts'

const SWEEP_MS = 250

export interface GroupListener {
  /** For every group that was appended as a whole, before the callers get their results. @param before  the position after which it was appended */
  appended(before: number, calls: readonly EncodedCall[]): void
  /** For every group that has its answer, after the callers. */
  settled(): void
}

export class GroupAppend {
  readonly #connection: Connection
  readonly #deadlineMs: number
  readonly #listener: GroupListener
  readonly #closing = new AbortController()
  readonly #queue = new WaitingAppends()
  #flight: readonly WaitingAppend[] = []
  #lastFailure: unknown
  readonly #sweeper: NodeJS.Timeout
  readonly #gather: Gather<WaitingAppend[]>

  /** @param deadlineMs  how long an append may wait for an unavailable server, in milliseconds */
  constructor(connection: Connection, deadlineMs: number, listener: GroupListener) {
    this.#connection = connection
    this.#deadlineMs = deadlineMs
    this.#listener = listener
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#sweeper.unref()
    this.#gather = new Gather({
      // Calls that arrive while a group is in flight form the next one.
      apartMs: 0,
      take: () => (this.#closing.signal.aborted ? null : this.#queue.take()),
      handle: (group) => this.#appendGroup(group),
    })
  }

  /** @throws {StoreUnavailable} if the outcome is not known in time, or if too much is already waiting */
  append(call: EncodedCall): Promise<UnitResult[]> {
    if (this.#closing.signal.aborted) return Promise.reject(new StoreUnavailable('the event store is closed'))
    if (this.#queue.isFull) {
      const cause = this.#lastFailure
      return Promise.reject(new StoreUnavailable('too many appends are waiting for the event store', { cause }))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, deadline: awakeNow() + this.#deadlineMs, done: false, resolve, reject })
      this.#gather.added()
    })
  }

  /** Whether a group is in flight. */
  isAppending(): boolean {
    return this.#flight.length > 0
  }

  close(): void {
    this.#closing.abort()
    clearInterval(this.#sweeper)
    // All of them.
    this.#giveUpLate(Infinity)
  }

  async #appendGroup(group: readonly WaitingAppend[]): Promise<void> {
    this.#flight = group
    await this.#deliver(group)
    this.#flight = []
    this.#listener.settled()
  }

  /** Sends a group until it is answered. Calls whose deadline passes meanwhile are removed from it. */
  async #deliver(group: readonly WaitingAppend[]): Promise<void> {
    let waiting = group
    const attempt = async (): Promise<void> => {
      waiting = group.filter(({ done }) => !done)
      if (waiting.length === 0) return
      const calls = waiting.map(({ call }) => call)
      const results = await sendGroup(this.#connection, calls, (before) => this.#listener.appended(before, calls))
      waiting.forEach((one, index) => settle(one, () => one.resolve(results[index]!)))
    }
    const onFailure = (error: unknown): void => {
      // A full disk stays full for longer than any caller waits.
      if (isDiskFull(error)) throw new DiskFull(error)
      if (!isOutage(error)) throw error
      this.#lastFailure = error
      this.#sweep()
    }
    await retry(attempt, { signal: this.#closing.signal, backOff: BACK_OFF, onFailure }).catch((error: unknown) =>
      this.#refused(waiting, error as Error),
    )
  }

  /** The server refused the statement. Each call is now sent alone, so that only the call at fault fails. */
  async #refused(group: readonly WaitingAppend[], error: Error): Promise<void> {
    if (group.length === 1 || error instanceof StoreWentBack || error instanceof DiskFull)
      for (const one of group) settle(one, () => one.reject(error))
    else for (const one of group) await this.#deliver([one])
  }

  #sweep(): void {
    this.#giveUpLate(awakeNow())
  }

  #giveUpLate(now: number): void {
    const reason = () => new StoreUnavailable('the event store does not respond', { cause: this.#lastFailure })
    rejectLate(this.#flight, now, reason)
    this.#queue.giveUpLate(now, reason)
  }
}
