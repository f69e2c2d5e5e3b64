/** Keep-alive connections by origin: a bounded number of pools, the idle ones closed. */
import { Pool } from 'undici'
import type { Dial } from './dialer.ts'

interface Entry {
  pool: Pool
  calls: number
  usedAt: number
}

/** More origins than this at a time: the one that has rested longest goes. */
const MOST_POOLS = 1_000

/** Milliseconds a pool may rest. */
const LONGEST_REST = 60_000

/** Shorter than the five seconds after which Node's and many other servers close: they must not close under a call. */
const KEEP_ALIVE_MS = 4_000

export class Pools {
  readonly #dial: Dial
  readonly #entries = new Map<string, Entry>()
  readonly #sweeper: NodeJS.Timeout

  constructor(dial: Dial) {
    this.#dial = dial
    this.#sweeper = setInterval(() => this.#closeRested(), LONGEST_REST / 2).unref()
  }

  /** The pool of an origin, held open until `done` is called. */
  take(origin: string): { pool: Pool; done: () => void } {
    const entry = this.#entries.get(origin) ?? this.#open(origin)
    entry.calls++
    entry.usedAt = performance.now()
    // Re-inserting keeps the map in the order of use.
    this.#entries.delete(origin)
    this.#entries.set(origin, entry)
    return { pool: entry.pool, done: () => entry.calls-- }
  }

  get size(): number {
    return this.#entries.size
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.all([...this.#entries.values()].map(({ pool }) => pool.destroy()))
    this.#entries.clear()
  }

  #open(origin: string): Entry {
    if (this.#entries.size >= MOST_POOLS) {
      const [oldest] = [...this.#entries].find(([, { calls }]) => calls === 0) ?? []
      if (oldest !== undefined) this.#close(oldest)
    }
    const pool = new Pool(origin, {
      connect: this.#dial,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_REST,
      // The whole call has one time limit, kept by the sender.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
    return { pool, calls: 0, usedAt: performance.now() }
  }

  #close(origin: string): void {
    const entry = this.#entries.get(origin)
    this.#entries.delete(origin)
    entry?.pool.destroy().catch(() => {})
  }

  #closeRested(): void {
    const now = performance.now()
    for (const [origin, { calls, usedAt }] of this.#entries)
      if (calls === 0 && now - usedAt > LONGEST_REST) this.#close(origin)
  }
}
