// Tests: tests/unit/workflows/deliver/heartbeat.test.ts
/**
 * What a worker knows about the other ones, from the answers to its own heartbeats. Another worker is dead when it has signed off, or when it
 * has not beaten during four of our own heartbeats in a row. An outage also stops our own heartbeats, so it does not count as silence.
 */
import type { OtherWorker } from './queue.ts'

/** Own heartbeats in a row without one of the other worker. */
const MISSES_OF_THE_DEAD = 4

export class OtherWorkers {
  readonly #known = new Map<string, { beat: number; misses: number }>()
  readonly #dead = new Set<string>()
  #lostUntil = -Infinity

  get dead(): string[] {
    return [...this.#dead]
  }

  get isAnyAlive(): boolean {
    return this.#known.size > this.#dead.size
  }

  /**
   * When a worker was last found dead, by the database's time: milliseconds. First attempts that it had noted and not claimed
   * are lost until the queue finds them.
   */
  get lostUntil(): number {
    return this.#lostUntil
  }

  /** Our own heartbeat failed, so theirs may have failed too. */
  forgive(): void {
    for (const other of this.#known.values()) other.misses = 0
  }

  /**
   * @param others  the other workers that the queue knows
   * @param now  the database's time
   * @param how.wasSilent  while this process was silent, it must not count the misses of others
   * @param how.areDead  no other worker can be alive
   */
  seen(others: readonly OtherWorker[], now: Date, how: { wasSilent: boolean; areDead: boolean }): void {
    const present = new Set(others.map(({ worker }) => worker))
    for (const worker of this.#known.keys()) if (!present.has(worker)) this.#forget(worker)
    for (const { worker, beat, ended } of others) {
      const known = this.#known.get(worker)
      const hasBeaten = known?.beat !== beat
      const misses = hasBeaten || how.wasSilent ? 0 : known.misses + 1
      this.#known.set(worker, { beat, misses })
      const stillDead = this.#dead.has(worker) && !hasBeaten
      const isDead = ended || misses >= MISSES_OF_THE_DEAD || stillDead || how.areDead
      if (isDead && !this.#dead.has(worker)) this.#lostUntil = now.getTime()
      if (isDead) this.#dead.add(worker)
      else this.#dead.delete(worker)
    }
  }

  #forget(worker: string): void {
    this.#known.delete(worker)
    this.#dead.delete(worker)
  }
}
