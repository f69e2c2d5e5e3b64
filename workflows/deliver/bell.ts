// Tests: tests/integration/delivery/queue.test.ts
/** A signal to wait for: `ring` wakes the waiting task, or the next one that waits. */
export class Bell {
  #rung = false
  #wake: (() => void) | null = null

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  /**
   * Resolves at the next ring, or after this many milliseconds. It resolves at once if the bell rang since the last
   * wait.
   */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#rung && timeoutMs > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = null
    this.#rung = false
  }
}
