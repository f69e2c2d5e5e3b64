// Tests: tests/integration/webhook-sender/interim-answers.test.ts
/**
 * Skips interim answers (1xx). An endpoint may send any number of them before its final answer, even if nobody asked for one
 * (RFC 9110, section 15.2). undici closes the connection at a `100 Continue`, so its parser must not see it. `101` is not
 * skipped: no HTTP follows it, and undici reports that.
 *
 * It also reads the status of the final answer, for an answer whose headers the parser refuses.
 *
 * Only the bytes before the final answer are checked, so a body is never changed. At most 12 bytes are held back, until the
 * next ones show what they belong to.
 */
import type { Socket } from 'node:net'

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/
/** The shortest start of an interim answer. It also completes a shorter piece, to check whether the piece can be one. */
const SHORTEST = 'HTTP/1.1 100'
/** The start of a status line with a final status. HTTP's parser refuses others too, such as those of other versions. */
const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)[ \r\n]/
const LONG_ENOUGH = 'HTTP/1.1 200 '.length
/** Some servers end lines without a carriage return. */
const END_OF_HEAD = /\r?\n\r?\n/g
const LONGEST_END = '\r\n\r\n'.length
const NOTHING = Buffer.alloc(0)

/** The call in flight. */
export interface Answered {
  /** The answer has begun, with this status. Its headers may still be faulty. */
  onStatusLine(status: number): void
}

/** @param start  at most the first 12 characters of an answer */
const canBeInterim = (start: string): boolean => INTERIM.test(start + SHORTEST.slice(start.length))

export class InterimAnswers {
  /** The part that the next byte belongs to: the start of an answer, the head of an interim answer, or the final answer. */
  #at: 'start' | 'interim' | 'final' = 'start'
  #held: Buffer = NOTHING
  /** The first characters of the final answer, and whether its status line may go on. */
  #line = ''
  #isInLine = true
  #call: Answered | null = null

  /** The next byte starts the answer to a new call. */
  begin(call: Answered): void {
    this.#call = call
    this.#restart()
  }

  /** Removes interim answers from all that is read from a new socket, after TLS. They still count as bytes read. */
  skipOn(socket: Socket): void {
    this.#restart()
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk = read(size)
        const rest = chunk === null || this.#at === 'final' ? chunk : this.#without(chunk)
        if (rest === null || rest.length > 0) return this.#noted(rest)
      }
    }
  }

  #restart(): void {
    this.#at = 'start'
    this.#held = NOTHING
    this.#line = ''
    this.#isInLine = true
  }

  /** Reports the status once the whole line has come. */
  #noted(bytes: Buffer | null): Buffer | null {
    if (bytes === null || !this.#isInLine) return bytes
    this.#line += bytes.toString('latin1', 0, LONG_ENOUGH - this.#line.length)
    if (!bytes.includes('\n')) return bytes
    this.#isInLine = false
    const [, status] = STATUS_LINE.exec(this.#line) ?? []
    if (status !== undefined) this.#call?.onStatusLine(Number(status))
    return bytes
  }

  /** @returns the bytes of the chunk, and those held back, that belong to the final answer */
  #without(chunk: Buffer): Buffer {
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk
    let text: string | undefined
    for (let at = 0; ;) {
      if (this.#at === 'start') {
        const start = bytes.toString('latin1', at, at + SHORTEST.length)
        if (!canBeInterim(start)) {
          this.#at = 'final'
          return bytes.subarray(at)
        }
        if (start.length < SHORTEST.length) return this.#hold(bytes.subarray(at))
        this.#at = 'interim'
      }
      text ??= bytes.toString('latin1')
      END_OF_HEAD.lastIndex = at
      if (!END_OF_HEAD.test(text)) return this.#hold(bytes.subarray(Math.max(at, bytes.length + 1 - LONGEST_END)))
      at = END_OF_HEAD.lastIndex
      this.#at = 'start'
    }
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes
    return NOTHING
  }
}
