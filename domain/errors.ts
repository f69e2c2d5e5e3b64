// Tests: tests/integration/http/protocol.test.ts
/** Named errors. One place maps them to HTTP responses: `adapters/http/middleware/errors.ts`. */

/**
 * A request cannot be served now, and nothing was accepted that is not stored. HTTP 503 with `Retry-After`, so that the caller
 * sends the request again. The message is for the log.
 */
export class Unavailable extends Error {
  override name = 'Unavailable'
  /** The value of `Retry-After`: seconds. */
  readonly retryAfterS: number = 5
  /** One sentence for the caller. */
  readonly advice: string = 'The request cannot be served now, so nothing was accepted. Send the request again.'
}

/** How long a request waits for stores in all, milliseconds: half a second less than the 8 s after which its caller has an answer. */
export const MOST_WAIT_MS = 7_500

/** The event store or the read models did not respond in time. */
export class StoreUnavailable extends Unavailable {
  override name = 'StoreUnavailable'
  override readonly advice: string =
    'The storage does not respond. The request may not have been stored. Send the request again.'
}

/** The event store has not responded for some time, so the call was refused at once. The outage itself is logged. */
export class StoreAway extends StoreUnavailable {
  override name = 'StoreAway'
}

/**
 * The event store no longer contains what this process has read from it or written to it: an older copy is in its place. Nothing
 * that this process remembers of it may be used. The process starts over (`cmd/process/role.ts`).
 */
export class StoreWentBack extends StoreUnavailable {
  override name = 'StoreWentBack'
  constructor() {
    super('the event store went back in time: this process begins again')
  }
}

/** The disk of a server, or of the data folder, is full. The process reports that once (`adapters/system/disk.ts`). */
export class DiskFull extends StoreUnavailable {
  override name = 'DiskFull'
  override readonly retryAfterS = 30
  override readonly advice = 'Nothing was accepted, because the disk is full. Send the request again later.'
  constructor(cause?: unknown) {
    super('the disk is full', { cause })
  }
}

/** Whether the log has lines of its own for what caused this error, so that each call that failed needs none. */
export const isReported = (error: unknown): boolean => error instanceof StoreAway || error instanceof DiskFull

/** A decider refused a command. `code` is the error code of the API. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: string
  readonly detail: Record<string, unknown>
  constructor(code: string, message: string, detail: Record<string, unknown> = {}) {
    super(message)
    this.code = code
    this.detail = detail
  }
}

/**
 * The account does not exist, or no longer exists. A caller whose account is deleted during its request no longer has valid credentials.
 */
export class AccountGone extends Refused {
  override name = 'AccountGone'
  constructor() {
    super('NOT_FOUND', 'The account does not exist.')
  }
}

/** More work is waiting than can be done soon. HTTP 429 with `Retry-After`. */
export class Overloaded extends Error {
  override name = 'Overloaded'
  readonly seconds: number
  /** @param seconds  the time after which the caller may retry */
  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}

/** A sealed text cannot be opened: its key is not in `VAULT_KEY`, or it was altered. Never contains any of the text. */
export class NotOpened extends Error {
  override name = 'NotOpened'
}

/** @returns null if a sealed text cannot be opened, so that its owner can still see the rest and replace it */
export const unlessNotOpened = <Opened>(open: () => Opened): Opened | null => {
  try {
    return open()
  } catch (error) {
    if (error instanceof NotOpened) return null
    throw error
  }
}
