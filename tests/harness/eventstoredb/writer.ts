/**
 * When the stand-in writes: at once, or as late as a real server. A real one writes together what has arrived, and collects the next appends
 * meanwhile, so an append alone takes longest.
 */

/**
 * Milliseconds for that many appends. With it, a client on the same two cores appends as many as on EventStoreDB 23.10.6: 3,800 to 4,300 a
 * second with 16 in flight (3,300 there), 4,700 to 6,000 with 64 (5,900), 6,200 to 7,000 with 512 (7,600). A lone one is answered after
 * 2.3 to 2.6 ms (2.4).
 */
export const writeTime = (appends: number): number => 0.7 + 0.09 * appends

/** Milliseconds. A timer comes late, and the next write is early by as much, but not by more. */
const MOST_EARLY = 5

export class Writer {
  readonly #isAsSlowAsReal: boolean
  #waiting: (() => void)[] = []
  #isWriting = false

  constructor(isAsSlowAsReal: boolean) {
    this.#isAsSlowAsReal = isAsSlowAsReal
  }

  /** @param append  writes and answers; runs when its time has come, in the order of the calls */
  write(append: () => void): void {
    if (!this.#isAsSlowAsReal) return append()
    this.#waiting.push(append)
    if (!this.#isWriting) this.#writeNext(performance.now())
  }

  /** @param from  when the write before it ended, or now */
  #writeNext(from: number): void {
    const appends = this.#waiting
    this.#waiting = []
    this.#isWriting = appends.length > 0
    if (!this.#isWriting) return
    const now = performance.now()
    const end = Math.max(from, now - MOST_EARLY) + writeTime(appends.length)
    setTimeout(
      () => {
        for (const append of appends) append()
        this.#writeNext(end)
      },
      Math.ceil(end - now),
    )
  }
}
