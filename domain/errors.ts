/** Errors with a name, thrown inside and mapped to an answer in one place (`adapters/http/middleware/errors.ts`). */

/** The event store did not answer in time: nothing was accepted that is not stored. 503. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** A command was refused by a decider; `code` is the API's error code. */
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

/** More work waits than can be done soon. 429 with `Retry-After`. */
export class Overloaded extends Error {
  override name = 'Overloaded'
  readonly seconds: number
  /** @param seconds  after which to try again */
  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}
