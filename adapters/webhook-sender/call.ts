/**
 * One call in flight: undici's handler on one side, one `CallResult` on the other. The status line decides: what goes
 * wrong with the body afterwards changes nothing, or a paid order would be sent again.
 */
import type { Dispatcher } from 'undici'
import type { CallResult } from '../../domain/ports.ts'
import { Failure, failureOf } from './failure.ts'

/** Bytes of an answer that are read and kept. */
const MOST_READ = 4096

const errorOf = (status: number): string | null => {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? 'redirect' : `http_${status}`
}

/** Seconds from now, from a number of seconds or a date. */
const retryAfterOf = (value: string | string[] | undefined): number | null => {
  const text = Array.isArray(value) ? value[0] : value
  if (!text) return null
  if (/^\d{1,9}$/.test(text.trim())) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const utf8 = new TextDecoder()

/** Cut between characters, and without NUL, which Postgres' texts cannot hold. */
const textOf = (chunks: readonly Buffer[]): string => {
  const text = utf8.decode(Buffer.concat(chunks).subarray(0, MOST_READ), { stream: true })
  // What is left of the last character must not begin the next text.
  utf8.decode()
  return text.replaceAll('\0', '\ufffd')
}

export class CallInFlight implements Dispatcher.DispatchHandler {
  readonly result: Promise<CallResult>
  readonly #began = performance.now()
  #settle!: (result: CallResult) => void
  #controller: Dispatcher.DispatchController | null = null
  #status = 0
  #retryAfter: number | null = null
  #chunks: Buffer[] = []
  #bytes = 0
  #over = false
  #isWhole = false

  constructor() {
    this.result = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Whether its answer was read to the end. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Bytes of the answer's body so far. */
  get bodyBytes(): number {
    return this.#bytes
  }

  /** Ends it now with what there is: the status, where one came, else this failure. */
  end(failure: Failure): void {
    if (this.#over) return
    this.#finish(failure)
    this.#controller?.abort(failure)
  }

  /** A whole answer at once, from an endpoint in this process. */
  answer(status: number, body: string): void {
    if (this.#over) return
    this.#status = status
    this.#chunks = [Buffer.from(body)]
    this.#finish()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It ended while its connection was being made: nothing is sent any more.
    if (this.#over) controller.abort(new Failure('stopped', 'The call was given up before it began.'))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#status = status
    this.#retryAfter = retryAfterOf(headers['retry-after'])
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
    const answered = this.#status > 0
    this.#settle({
      http_status: this.#status,
      response_body: answered ? textOf(this.#chunks) : (failure?.message ?? ''),
      error: answered ? errorOf(this.#status) : (failure?.kind ?? 'protocol'),
      retry_after_s: this.#retryAfter,
      duration_ms: Math.round((performance.now() - this.#began) * 10) / 10,
    })
  }
}
