// Tests: tests/integration/delivery/queue.test.ts
/** A signal to wait for: `wake` wakes the waiting task, or the next one that waits. */
export class WakeSignal {
  #isAwake = false
  #wake: (() => void) | null = null

  wake(): void {
    this.#isAwake = true
    this.#wake?.()
  }

  /** Resolves at the next `wake`, or after this many milliseconds. It resolves at once if `wake` was called since the last wait. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isAwake && timeoutMs > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = null
    this.#isAwake = false
  }
}
