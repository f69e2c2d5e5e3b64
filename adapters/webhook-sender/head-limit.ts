/**
 * Limits what an endpoint can send without saying anything. undici limits the names and values of one set of headers; it does not
 * count status lines, 1xx answers, blank lines, or what stands between the pieces of a chunked body. So bytes are counted here, on
 * the socket (after TLS), from the request on. A call ends itself when it has its answer or 4 KB of a body; a call that is still
 * in flight after 64 KB is one whose endpoint sends anything but an answer.
 */
import type { Socket } from 'node:net'
import type { Client } from 'undici'
import { Failure } from './failure.ts'

/** Bytes of status line and headers, 1xx answers included. Ordinary servers send less than 8 KB. */
export const LONGEST_HEAD = 65_536

/** What counting needs of a call in flight. */
export interface Counted {
  /** Bytes of the answer's body so far: they have a limit of their own. */
  readonly bodyBytes: number
  end(failure: Failure): void
}

export class HeadLimit {
  #socket: Socket | null = null
  #call: Counted | null = null
  /** The socket's count when the call began. */
  #from = 0

  /** The connection of this client was made. The client emits `connect` when its own listeners are on the socket. */
  watch(client: Client, connected: () => Socket | null): void {
    client.on('connect', () => {
      this.#socket = connected()
      this.#from = this.#socket?.bytesRead ?? 0
      // It runs after undici's listener, which has then parsed all that was counted.
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
    call.end(new Failure('response_too_large', `The answer's status line and headers are longer than ${LONGEST_HEAD / 1024} KB.`)) // prettier-ignore
  }
}
