/** Reports an outage of the server once when it begins, and once when it has ended, however many calls and subscriptions fail. */

/** An outage has ended when the server has answered and nothing has failed for this long (milliseconds). */
const QUIET_MS = 1_000

/** An outage that has ended. */
export interface Outage {
  failures: number
  seconds: number
}

export class OutageReport {
  readonly #onFailure: (error: unknown) => void
  readonly #onRecovery: (outage: Outage) => void
  #failures = 0
  #beganAt = 0
  #failedAt = 0
  #check: NodeJS.Timeout | undefined

  /** @param onFailure  called with the first failure · @param onRecovery  called when the server answers again */
  constructor(onFailure: (error: unknown) => void, onRecovery: (outage: Outage) => void) {
    this.#onFailure = onFailure
    this.#onRecovery = onRecovery
  }

  failed(error: unknown): void {
    this.#failedAt = performance.now()
    if (this.#failures++ > 0) return
    this.#beganAt = this.#failedAt
    this.#onFailure(error)
  }

  answered(): void {
    if (this.#failures === 0 || this.#check) return
    const answeredAt = performance.now()
    this.#check = setTimeout(() => {
      this.#check = undefined
      if (this.#failedAt > answeredAt) return
      const seconds = Number(((answeredAt - this.#beganAt) / 1_000).toFixed(1))
      this.#onRecovery({ failures: this.#failures, seconds })
      this.#failures = 0
    }, QUIET_MS).unref()
  }

  close(): void {
    clearTimeout(this.#check)
  }
}
