// Tests: tests/attack/hostile-mail-server.test.ts
/**
 * The connection to a mail server, as the IMAP library reads it. The library receives only decrypted bytes that
 * `ServerLimits` accepts. An error of the socket is always handled, even after the library has released the socket.
 */
import type { ImapTransport, ImapTransportOptions, ImapTransportSocket } from 'imapflow'
import { connect as connectTcp, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { MailFailure } from '../../workflows/mail-ingest/mailbox.ts'
import type { ServerLimits } from './server-limits.ts'

class GuardedSocket extends Duplex {
  readonly #socket: Socket
  readonly #limits: ServerLimits

  constructor(socket: Socket, limits: ServerLimits) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#limits = limits
    this.on('error', () => {})
    socket.on('error', (error) => this.destroy(error))
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('timeout', () => this.emit('timeout'))
  }

  readonly #onData = (chunk: Buffer): void => {
    const failure = this.#limits.count(chunk)
    if (failure) this.destroy(failure)
    else if (!this.push(chunk)) this.#socket.pause()
  }
  readonly #onEnd = (): void => void this.push(null)
  readonly #onClose = (): void => void this.destroy()

  /** Returns the socket below, which this object no longer reads. @throws if unread data is left */
  handOver(): Socket {
    const socket = this.#socket
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).pause()
    if (this.readableLength > 0 || socket.readableLength > 0)
      throw new MailFailure('The server sent data between STARTTLS and the start of encryption.', { isViolation: true })
    return socket
  }

  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds)
    return this
  }

  setKeepAlive(isOn?: boolean, delay?: number): this {
    this.#socket.setKeepAlive(isOn, delay)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

const addressOf = ({ host, port, servername, tls }: ImapTransportOptions) => ({
  ...tls,
  host,
  port,
  ...(servername === undefined ? {} : { servername }),
})

export interface Guarded extends ImapTransport {
  /** Ends the connection. Its commands fail. */
  end(failure: Error): void
}

/** The connections of one client, before and after STARTTLS, with shared limits. */
export const guardedTransport = (limits: ServerLimits): Guarded => {
  let present: GuardedSocket | undefined
  const guarded = (socket: Socket): ImapTransportSocket => (present = new GuardedSocket(socket, limits))
  return {
    connect: ({ secure, ...options }, onConnect) =>
      guarded(secure ? connectTls(addressOf(options), onConnect) : connectTcp(options.port, options.host, onConnect)),
    upgrade: (plain, options, onSecure) =>
      guarded(connectTls({ ...addressOf(options), socket: (plain as GuardedSocket).handOver() }, onSecure)),
    end: (failure) => void present?.destroy(failure),
  }
}
