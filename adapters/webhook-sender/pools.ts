/**
 * Keep-alive connections by origin: the one that was used last is used next, the rested ones are closed. undici's own pool
 * looks through all that are busy, twice a call: with hundreds in flight that costs as much as the call.
 */
import { Client } from 'undici'
import type { Dial } from './dialer.ts'

interface Entry {
  /** The one used last is at the end. */
  idle: Client[]
  calls: number
  usedAt: number
}

/** More origins than this at a time: the one that has rested longest goes. */
const MOST_ORIGINS = 1_000

/** Milliseconds an origin may rest. */
const LONGEST_REST = 60_000

/** Shorter than the five seconds after which Node's and many other servers close: they must not close under a call. */
const KEEP_ALIVE_MS = 4_000

/** A connection for one call. */
export interface Taken {
  client: Client
  /** @param isWhole  the answer was read to its end, so the connection serves the next call */
  done(isWhole: boolean): void
}

const close = (clients: readonly Client[]): Promise<unknown> =>
  Promise.allSettled(clients.map((client) => client.destroy()))

export class Pools {
  readonly #dial: Dial
  readonly #entries = new Map<string, Entry>()
  readonly #taken = new Set<Client>()
  readonly #sweeper: NodeJS.Timeout

  constructor(dial: Dial) {
    this.#dial = dial
    this.#sweeper = setInterval(() => this.#closeRested(), LONGEST_REST / 2).unref()
  }

  take(origin: string): Taken {
    const entry = this.#entries.get(origin) ?? this.#newEntry()
    entry.calls++
    entry.usedAt = performance.now()
    // Re-inserting keeps the map in the order of use.
    this.#entries.delete(origin)
    this.#entries.set(origin, entry)
    const client = entry.idle.pop() ?? this.#connection(origin)
    this.#taken.add(client)
    return { client, done: (isWhole) => this.#giveBack(entry, client, isWhole) }
  }

  get size(): number {
    return this.#entries.size
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const idle = [...this.#entries.values()].flatMap((entry) => entry.idle)
    this.#entries.clear()
    await close([...idle, ...this.#taken])
  }

  #connection(origin: string): Client {
    return new Client(origin, {
      connect: this.#dial,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_REST,
      // The whole call has one time limit, kept by the sender.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
    })
  }

  #giveBack(entry: Entry, client: Client, isWhole: boolean): void {
    entry.calls--
    this.#taken.delete(client)
    if (isWhole) entry.idle.push(client)
    else void close([client])
  }

  /** Makes room for it where there are too many. */
  #newEntry(): Entry {
    if (this.#entries.size >= MOST_ORIGINS) {
      const [oldest] = [...this.#entries].find(([, { calls }]) => calls === 0) ?? []
      if (oldest !== undefined) this.#forget(oldest)
    }
    return { idle: [], calls: 0, usedAt: performance.now() }
  }

  #forget(origin: string): void {
    void close(this.#entries.get(origin)?.idle ?? [])
    this.#entries.delete(origin)
  }

  #closeRested(): void {
    const now = performance.now()
    for (const [origin, entry] of this.#entries) {
      if (entry.calls === 0 && now - entry.usedAt > LONGEST_REST) this.#forget(origin)
      // What a burst has left behind: their connections are closed already.
      else entry.idle = entry.idle.filter((client) => client.stats.connected)
    }
  }
}
