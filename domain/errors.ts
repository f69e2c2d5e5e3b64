// Tests: tests/integration/http/protocol.test.ts
/** Named errors. One place maps them to HTTP responses: `adapters/http/middleware/errors.ts`. */

/** The event store did not respond in time. Nothing was accepted that is not stored. HTTP 503. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/**
 * The event store no longer contains what this process has read from it or written to it: an older copy is in its place. Nothing
 * that this process remembers of it may be used any more. The process begins again (`cmd/process/role.ts`).
 */
export class StoreWentBack extends StoreUnavailable {
  override name = 'StoreWentBack'
  constructor() {
    super('the event store went back in time: this process begins again')
  }
}

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
