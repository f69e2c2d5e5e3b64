// Tests: tests/integration/webhook-sender/sender.test.ts
/**
 * One call in flight: connects undici's handler to one `CallResult`. The status line decides the result. A later error in the
 * body changes nothing, because otherwise a paid order would be sent again.
 */
import type { Dispatcher } from 'undici'
import type { CallResult } from '../../domain/ports.ts'
import { answerText, MOST_READ, type AnswerHeaders } from './answer-text.ts'
import { Failure, failureOf } from './failure.ts'
import { headTooLong, LONGEST_HEAD } from './head-limit.ts'

const errorOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

const sizeOf = (headers: AnswerHeaders): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0)

const HAS_TIME = /\d:\d\d/
/** Ends with a zone: letters or an offset. Without one, the time is UTC (RFC 9110, section 5.6.7). */
const HAS_ZONE = /([a-z]|[+-]\d\d:?\d\d)$/i

const firstOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.trim()

/**
 * Milliseconds since 1970. `Date.parse` takes almost any text with a number for a date (`40.2` is February 2040), so only a text with a time of
 * day is one.
 */
const dateOf = (text = ''): number => (HAS_TIME.test(text) ? Date.parse(HAS_ZONE.test(text) ? text : `${text}Z`) : NaN)

/**
 * Converts a number of seconds, of any length, or a date to seconds from now. The schedule limits it. A date is compared with the answer's own,
 * because the clock of the server may be wrong by hours.
 */
const retryAfterOf = (headers: AnswerHeaders): number | null => {
  const text = firstOf(headers['retry-after'])
  if (!text) return null
  if (/^\d+(\.\d*)?$/.test(text)) return Math.min(Math.ceil(Number(text)), Number.MAX_SAFE_INTEGER)
  const at = dateOf(text)
  if (Number.isNaN(at)) return null
  const answered = dateOf(firstOf(headers.date))
  return Math.max(0, Math.ceil((at - (Number.isNaN(answered) ? Date.now() : answered)) / 1000))
}

export class CallInFlight implements Dispatcher.DispatchHandler {
  readonly result: Promise<CallResult>
  readonly #began = performance.now()
  #settle!: (result: CallResult) => void
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  /** The status in the status line. 0 if no status line came. */
  #statusOfLine = 0
  #headers: AnswerHeaders = {}
  #chunks: Buffer[] = []
  #bytes = 0
  #over = false
  #isWhole = false

  constructor() {
    this.result = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Whether the answer was read to its end. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Bytes of the answer's body received so far. */
  get bodyBytes(): number {
    return this.#bytes
  }

  /** Ends the call now. The result is the status if one arrived, or else this failure. */
  end(failure: Failure): void {
    if (this.#over) return
    this.#finish(failure)
    this.#controller?.abort(failure)
  }

  /** Sets a complete answer, from an endpoint in this process. */
  answer(status: number, body: string): void {
    if (this.#over) return
    this.#status = status
    this.#chunks = [Buffer.from(body)]
    this.#finish()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onStatusLine(status: number): void {
    this.#statusOfLine = status
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) return
    if (sizeOf(headers) > LONGEST_HEAD) return this.end(headTooLong())
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes <= MOST_READ) return
    this.#finish()
    controller.abort(new Failure('protocol', 'The answer was long enough.'))
  }

  onResponseEnd(): void {
    this.#isWhole = true
    this.#finish()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(failureOf(error))
  }

  #finish(failure?: Failure): void {
    if (this.#over) return
    this.#over = true
    // The parser refuses headers that other clients accept, such as two lengths, or the rest of the head never came. The endpoint has
    // read the call nevertheless. But a head without an end is not an answer.
    if (this.#status === 0 && failure?.kind !== 'response_too_large') this.#status = this.#statusOfLine
    const answered = this.#status > 0
    this.#settle({
      http_status: this.#status,
      response_body: answered
        ? answerText(this.#status, Buffer.concat(this.#chunks), this.#headers)
        : (failure?.message ?? ''),
      error: answered ? errorOf(this.#status) : (failure?.kind ?? 'protocol'),
      retry_after_s: retryAfterOf(this.#headers),
      duration_ms: Math.round((performance.now() - this.#began) * 10) / 10,
    })
  }
}
