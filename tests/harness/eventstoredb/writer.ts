/**
 * When the stand-in writes: at once, or as late as a real server. A real one writes together what has arrived, and collects the next appends
 * meanwhile, so an append alone takes longest.
 */

/**
 * Milliseconds for that many appends, from EventStoreDB 23.10.6 on two cores that it shared with its client: 2.4 ms for one at 100 per
 * second; 3,300 per second with 16 in flight, 5,900 with 64, and 7,600 with 512, of which half are written while the others arrive.
 */
export const writeTime = (appends: number): number => Math.max(2.4, 1.42 + 0.126 * appends)

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
