/**
 * What a mail server may send. Users name the servers, so one may be an attacker's: it can send lines without an end, mails that
 * nobody asked for, or one byte a minute. Everything that it sends is counted here before it is read.
 *
 * The counter follows lines and literals (`{5}` at the end of a line: five bytes of anything follow, RFC 3501, section 4.3), as
 * only lines are limited by length and only what was asked for may come as a literal.
 */
import { MailFailure } from '../../workflows/mail-ingest/mailbox.ts'

/** What the server may send for one command, or in `ms` milliseconds while nothing is asked of it. */
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
/** Changes of flags, thousands at a time where an owner tidies up. */
export const IDLE: Allowance = { bytes: 2 * MB, literal: 0, ms: 60_000 }
/** @param most  bytes of each mail */
export const fetchOf = (mails: number, most: number): Allowance => ({
  bytes: mails * (most + 4 * KB) + 64 * KB,
  literal: most,
  ms: 30_000,
})

/** Slower than this a server that does send is holding up others on purpose: bytes a second. */
const SLOWEST = 4 * KB
/** Reports of new mails that are no violation yet: a minute. */
const MOST_REPORTS = 600
const MINUTE_MS = 60_000

/** Of a connection; after that it is made anew. */
const MOST_BYTES = 1024 * MB
const LONGEST_MS = 24 * 3_600_000

const LF = 0x0a
/** Characters of what ends a line before a literal. A longer one has only zeros before its number. */
const LONGEST_MARKER = 32
const MARKER = /\{(\d+)\}\r?\n$/
const PADDED = /^\d+\}\r?\n$/

const violation = (message: string): MailFailure => new MailFailure(message, { isViolation: true })

export class ServerLimits {
  #allowance: Allowance = CONNECT
  #since = performance.now()
  readonly #began = this.#since
  /** Bytes since the allowance, and of all time. */
  #received = 0
  #total = 0
  #sinceAnswer = 0
  #line = 0
  /** The last bytes of the line so far. */
  #end = ''
  /** Bytes of a literal that are still to come. */
  #literal = 0
  #reports = { since: this.#since, count: 0 }
  #failure: MailFailure | null = null
  readonly #patience: number

  /** @param patience  what times are multiplied by: other than 1 only for tests */
  constructor(patience = 1) {
    this.#patience = patience
  }

  /** Why the connection was ended; null while it may go on. */
  get failure(): MailFailure | null {
    return this.#failure
  }

  /** True where the connection has been long or busy enough to be made anew. */
  get isUsedUp(): boolean {
    return this.#total > MOST_BYTES || performance.now() - this.#began > LONGEST_MS
  }

  /** What comes from now on is for this. @returns milliseconds that it may take */
  allow(allowance: Allowance): number {
    this.#allowance = allowance
    this.#since = performance.now()
    this.#received = 0
    this.#sinceAnswer = 0
    return allowance.ms * this.#patience
  }

  /** A command was answered: what is late now is not dripping. Some servers make clients wait after they refused one. */
  answered(): void {
    this.#sinceAnswer = 0
  }

  /** The time for the command is over. @returns why the connection ends */
  expire(): MailFailure {
    const seconds = (performance.now() - this.#since) / 1_000
    const drips = this.#sinceAnswer > 0 && this.#received < SLOWEST * seconds
    this.#failure ??= drips
      ? violation('The server sends its answers too slowly.')
      : new MailFailure('The server does not respond in time.', { isSlow: true })
    return this.#failure
  }

  /** A report of new mails. @returns as `count` */
  report(): MailFailure | null {
    const now = performance.now()
    if (now - this.#reports.since > MINUTE_MS) this.#reports = { since: now, count: 0 }
    return ++this.#reports.count > MOST_REPORTS ? this.#broken('reports new mails all the time') : this.#failure
  }

  /** @returns why the connection must end; null where the bytes may be read */
  count(chunk: Buffer): MailFailure | null {
    if (this.#failure) return this.#failure
    if (this.#allowance === IDLE && performance.now() - this.#since > IDLE.ms * this.#patience) this.allow(IDLE)
    this.#total += chunk.length
    this.#received += chunk.length
    this.#sinceAnswer += chunk.length
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

  /** @returns where the line ends, or the chunk */
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
    // A literal goes on with its line.
    if (bytes === undefined) this.#line = 0
    this.#end = ''
  }

  #broken(what: string): MailFailure {
    this.#failure ??= violation(`The server ${what}.`)
    return this.#failure
  }
}
