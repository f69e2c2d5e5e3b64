// Tests: tests/integration/webhook-sender/sender.test.ts
/**
 * Limits what an endpoint can send without an answer. undici's own limit counts neither status lines, 1xx answers and blank
 * lines, nor the bytes between the chunks of a chunked body, and each header beyond it costs two errors with their stacks. So
 * this class counts bytes on the socket (after TLS), starting with the request. A call ends by itself when it has its answer
 * or 4 KB of a body. If a call is still in flight after 64 KB, its endpoint is sending something other than an answer.
 */
import type { Socket } from 'node:net'
import type { Client } from 'undici'
import { Failure } from './failure.ts'

/** Bytes of the status line and headers, including 1xx answers. Ordinary servers send less than 8 KB. */
export const LONGEST_HEAD = 65_536

export const headTooLong = (): Failure =>
  new Failure('response_too_large', `The answer's status line and headers are longer than ${LONGEST_HEAD / 1024} KB.`)

/** The data about a call in flight that the count needs. */
export interface Counted {
  /** Bytes of the answer's body so far. They have a separate limit. */
  readonly bodyBytes: number
  end(failure: Failure): void
}

export class HeadLimit {
  #socket: Socket | null = null
  #call: Counted | null = null
  /** The socket's byte count when the call began. */
  #from = 0

  /** Watches the connection of a client. The client emits `connect` when its own listeners are on the socket. */
  watch(client: Client, connected: () => Socket | null): void {
    client.on('connect', () => {
      this.#socket = connected()
      this.#from = this.#socket?.bytesRead ?? 0
      // Runs after undici's listener, which has parsed all counted bytes by then.
      this.#socket?.on('readable', () => this.#check())
    })
  }

  begin(call: Counted): void {
    this.#call = call
    this.#from = this.#socket?.bytesRead ?? 0
  }

  end(): void {
    this.#call = null
  }

  #check(): void {
    const call = this.#call
    if (!call || !this.#socket) return
    if (this.#socket.bytesRead - this.#from - call.bodyBytes <= LONGEST_HEAD) return
    call.end(headTooLong())
  }
}
