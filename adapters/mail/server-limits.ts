/**
 * Limits what a mail server may send. Users name the servers, so a server may belong to an attacker. It can send lines
 * without an end, unrequested mails, or one byte per minute. So all its data is counted before it is read.
 *
 * The counter follows lines and literals (after `{5}` at the end of a line, any five bytes follow; RFC 3501, section 4.3).
 * Only lines are limited by length, and only requested data may arrive as a literal.
 */
import { DAY_MS } from '../../domain/time.ts'
import { MailFailure } from '../../workflows/mail-ingest/mailbox.ts'

/** The data that the server may send for one command, or within `ms` milliseconds while no command runs. */
export interface Allowance {
  /** All bytes. */
  bytes: number
  /** Bytes of one literal. */
  literal: number
  ms: number
}

const KB = 1024
const MB = 1024 * KB

/** Bytes of a line, its end included. */
export const LONGEST_LINE = 256 * KB

export const CONNECT: Allowance = { bytes: 256 * KB, literal: KB, ms: 20_000 }
export const OPEN_FOLDER: Allowance = { bytes: 512 * KB, literal: KB, ms: 30_000 }
export const SEARCH: Allowance = { bytes: 512 * KB, literal: 0, ms: 60_000 }
/** For changes of flags: thousands arrive when an owner tidies up. */
export const IDLE: Allowance = { bytes: 2 * MB, literal: 0, ms: 60_000 }
/** @param most  bytes of each mail */
export const fetchOf = (mails: number, most: number): Allowance => ({
  bytes: mails * (most + 4 * KB) + 64 * KB,
  literal: most,
  ms: 30_000,
})

/** Bytes per second. A server that sends more slowly than this delays others on purpose. */
const SLOWEST = 4 * KB
/** Pieces of an answer that has no end. With fewer, it is not the server that is slow, but the network or this machine. */
const FEWEST_DRIPS = 8
/** The most reports of new mails per minute that are not a violation. */
const MOST_REPORTS = 600
const MINUTE_MS = 60_000

/** Limits of one connection. After that it is replaced. */
const MOST_BYTES = 1024 * MB
const LONGEST_MS = DAY_MS

const LF = 0x0a
/** Characters of the marker that ends a line before a literal. A longer marker has only zeros before its number. */
const LONGEST_MARKER = 32
const MARKER = /\{(\d+)\}\r?\n$/
const PADDED = /^\d+\}\r?\n$/

const violation = (message: string): MailFailure => new MailFailure(message, { isViolation: true })

export class ServerLimits {
  #allowance: Allowance = CONNECT
  #since = performance.now()
  readonly #began = this.#since
  /** Bytes since the allowance began, and bytes in total. */
  #received = 0
  #total = 0
  /** Pieces of data since the last complete answer. */
  #pieces = 0
  #line = 0
  /** The last bytes of the current line. */
  #end = ''
  /** Remaining bytes of a literal. */
  #literal = 0
  #reports = { since: this.#since, count: 0 }
  #failure: MailFailure | null = null
  readonly #patience: number

  /** @param patience  factor for all times; only tests use a value other than 1 */
  constructor(patience = 1) {
    this.#patience = patience
  }

  /** The reason why the connection was ended. Null while it may continue. */
  get failure(): MailFailure | null {
    return this.#failure
  }

  /** Whether the connection is old or busy enough to be replaced. */
  get isUsedUp(): boolean {
    return this.#total > MOST_BYTES || performance.now() - this.#began > LONGEST_MS
  }

  /** Starts an allowance for the following data. @returns milliseconds that it may take */
  allow(allowance: Allowance): number {
    this.#allowance = allowance
    this.#since = performance.now()
    this.#received = 0
    this.#pieces = 0
    return allowance.ms * this.#patience
  }

  /**
   * Called when a command was answered. A later delay does not count as sending slowly: some servers delay clients after a
   * refusal.
   */
  answered(): void {
    this.#pieces = 0
  }

  /** Called when the time for the command is over. @returns the reason why the connection ends */
  expire(): MailFailure {
    const seconds = (performance.now() - this.#since) / 1_000
    const drips = this.#pieces >= FEWEST_DRIPS && this.#received < SLOWEST * seconds
    this.#failure ??= drips
      ? violation('The server sends its answers too slowly.')
      : new MailFailure('The server does not respond in time.', { isSlow: true })
    return this.#failure
  }

  /** Called for a report of new mails. @returns same as `count` */
  report(): MailFailure | null {
    const now = performance.now()
    if (now - this.#reports.since > MINUTE_MS) this.#reports = { since: now, count: 0 }
    return ++this.#reports.count > MOST_REPORTS ? this.#broken('reports new mails all the time') : this.#failure
  }

  /** @returns the reason why the connection must end, or null if the bytes may be read */
  count(chunk: Buffer): MailFailure | null {
    if (this.#failure) return this.#failure
    if (this.#allowance === IDLE && performance.now() - this.#since > IDLE.ms * this.#patience) this.allow(IDLE)
    this.#total += chunk.length
    this.#received += chunk.length
    this.#pieces++
    if (this.#received > this.#allowance.bytes) return this.#broken('sent more than was asked for')
    for (let at = 0; at < chunk.length && !this.#failure;)
      at = this.#literal > 0 ? this.#skip(chunk, at) : this.#read(chunk, at)
    return this.#failure
  }

  #skip(chunk: Buffer, start: number): number {
    const bytes = Math.min(this.#literal, chunk.length - start)
    this.#literal -= bytes
    return start + bytes
  }

  /** @returns the end of the line or of the chunk */
  #read(chunk: Buffer, start: number): number {
    const found = chunk.indexOf(LF, start)
    const end = found < 0 ? chunk.length : found + 1
    this.#line += end - start
    if (this.#line > LONGEST_LINE) this.#broken('sent a line that is longer than 256 KB')
    this.#end = (this.#end + chunk.toString('latin1', Math.max(start, end - LONGEST_MARKER), end)).slice(
      -LONGEST_MARKER,
    )
    if (found >= 0) this.#endLine()
    return end
  }

  #endLine(): void {
    const bytes = MARKER.exec(this.#end)?.[1]
    if (Number(bytes ?? 0) > this.#allowance.literal || PADDED.test(this.#end))
      this.#broken('sent more than was asked for')
    this.#literal = Number(bytes ?? 0)
    // A line continues after its literal.
    if (bytes === undefined) this.#line = 0
    this.#end = ''
  }

  #broken(what: string): MailFailure {
    this.#failure ??= violation(`The server ${what}.`)
    return this.#failure
  }
}
