// Tests: tests/unit/adapters/webhook-sender/pools.test.ts, tests/integration/webhook-sender/sender.test.ts
/**
 * Keep-alive connections by origin. The connection that was used last is used next, and idle ones are closed. undici's own
 * pool searches through all busy connections twice per call. With hundreds in flight, that costs as much as the call.
 */
import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Dial } from './dialer.ts'
import { HeadLimit, LONGEST_HEAD, type Counted } from './head-limit.ts'
import { InterimAnswers, type Answered } from './interim-answers.ts'

interface Connection {
  client: Client
  limit: HeadLimit
  interim: InterimAnswers
}

interface Entry {
  /** Ordered by use: the connection that was used last is at the end. */
  idle: Connection[]
  calls: number
  usedAt: number
  /** The endpoint sent an answer to no call, such as one to a body that it took for a request. The next call would get it. */
  answersTwice: boolean
}

/** With more origins than this, the one that has been idle longest is removed. */
const MOST_ORIGINS = 1_000

/** Milliseconds an origin may be idle. */
const LONGEST_REST = 60_000

/**
 * Shorter than the two seconds after which servers such as gunicorn close an idle connection, so that none does during a call. A call that fails
 * so is not sent again at once: the endpoint may have read it.
 */
const KEEP_ALIVE_MS = 1_500

/** undici's message when it closes a connection on which an answer came and no call waits for one. */
const ANSWER_TO_NOTHING = 'bad response'

/** A connection for one call. */
export interface Taken {
  client: Client
  /** @param isWhole  the answer was read to its end, so the connection can be reused */
  done(isWhole: boolean): void
}

const close = (connections: readonly Connection[]): Promise<unknown> =>
  Promise.allSettled(connections.map(({ client }) => client.destroy()))

export class Pools {
  readonly #dial: Dial
  readonly #entries = new Map<string, Entry>()
  readonly #taken = new Set<Connection>()
  readonly #sweeper: NodeJS.Timeout

  constructor(dial: Dial) {
    this.#dial = dial
    this.#sweeper = setInterval(() => this.#closeRested(), LONGEST_REST / 2).unref()
  }

  /** @param call  the call that needs the connection; it ends if the endpoint sends 64 KB without an answer */
  take(origin: string, call: Counted & Answered): Taken {
    const entry = this.#entries.get(origin) ?? this.#newEntry()
    entry.calls++
    entry.usedAt = performance.now()
    // Inserting again keeps the map in the order of use.
    this.#entries.delete(origin)
    this.#entries.set(origin, entry)
    const connection = entry.idle.pop() ?? this.#connection(origin, entry)
    this.#taken.add(connection)
    connection.limit.begin(call)
    connection.interim.begin(call)
    return { client: connection.client, done: (isWhole) => this.#giveBack(entry, connection, isWhole) }
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

  #connection(origin: string, entry: Entry): Connection {
    let socket: Socket | null = null
    const interim = new InterimAnswers()
    const client = new Client(origin, {
      connect: (target, callback) =>
        this.#dial(target, (...[error, connected]) => {
          socket = connected
          if (error) return callback(error, null)
          interim.skipOn(connected)
          callback(null, connected)
        }),
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: LONGEST_REST,
      // The sender enforces one time limit for the whole call.
      headersTimeout: 0,
      bodyTimeout: 0,
      // `HeadLimit` ends the call first.
      maxHeaderSize: 4 * LONGEST_HEAD,
    })
    client.on('disconnect', (_origin, _targets, { message }) => {
      if (message !== ANSWER_TO_NOTHING || entry.answersTwice) return
      entry.answersTwice = true
      void close(entry.idle.splice(0))
    })
    const limit = new HeadLimit()
    limit.watch(client, () => socket)
    return { client, limit, interim }
  }

  #giveBack(entry: Entry, connection: Connection, isWhole: boolean): void {
    entry.calls--
    this.#taken.delete(connection)
    connection.limit.end()
    if (isWhole && !entry.answersTwice) entry.idle.push(connection)
    else void close([connection])
  }

  /** Creates an entry. If there are too many origins, removes an idle one first. */
  #newEntry(): Entry {
    if (this.#entries.size >= MOST_ORIGINS) {
      const [oldest] = [...this.#entries].find(([, { calls }]) => calls === 0) ?? []
      if (oldest !== undefined) this.#forget(oldest)
    }
    return { idle: [], calls: 0, usedAt: performance.now(), answersTwice: false }
  }

  #forget(origin: string): void {
    void close(this.#entries.get(origin)?.idle ?? [])
    this.#entries.delete(origin)
  }

  #closeRested(): void {
    const now = performance.now()
    for (const [origin, entry] of this.#entries) {
      if (entry.calls === 0 && now - entry.usedAt > LONGEST_REST) this.#forget(origin)
      // Removes connections left over from a burst, which are already closed.
      else entry.idle = entry.idle.filter(({ client }) => client.stats.connected)
    }
  }
}
