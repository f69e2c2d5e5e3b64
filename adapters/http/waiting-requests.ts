// Tests: tests/integration/http/server.test.ts
/**
 * Requests that wait for the answer to an earlier one of their connection (pipelining). A connection is not read while many of its requests
 * wait. More may wait all the same: Node parses up to 64 KB at once, which may contain two thousand requests.
 */
import type { Duplex } from 'node:stream'

/** From this number on, the connection is not read. */
const MANY = 16
/** Most requests beyond `MANY` of all connections together. Each takes about 3 KB. */
const MOST_BEYOND = 10_000

export class WaitingRequests {
  readonly #counts = new WeakMap<Duplex, number>()
  #beyond = 0

  has(socket: Duplex): boolean {
    return this.#count(socket) > 0
  }

  /** @returns false if the request cannot wait, because too many do */
  add(socket: Duplex): boolean {
    if (!this.#counts.has(socket)) this.#watch(socket)
    const count = this.#count(socket) + 1
    if (count > MANY && this.#beyond >= MOST_BEYOND) return false
    this.#set(socket, count)
    if (count === MANY) socket.pause()
    return true
  }

  remove(socket: Duplex): void {
    const count = this.#count(socket) - 1
    this.#set(socket, count)
    if (count === MANY - 1) socket.resume()
  }

  #count(socket: Duplex): number {
    return this.#counts.get(socket) ?? 0
  }

  #set(socket: Duplex, count: number): void {
    const beyond = (of: number): number => Math.max(0, of - MANY)
    this.#beyond += beyond(count) - beyond(this.#count(socket))
    this.#counts.set(socket, count)
  }

  #watch(socket: Duplex): void {
    // Node resumes a connection whenever the body of one of its requests is read.
    socket.on('resume', () => {
      if (this.#count(socket) >= MANY) socket.pause()
    })
    socket.once('close', () => this.#set(socket, 0))
  }
}
