// Tests: tests/integration/hand-over/hand-over.test.ts
/**
 * The connection to another process, to which notifications are handed over. It ends when the other process ends, or does not answer a
 * question for a second: then that process is frozen, or its machine is gone. Everything that it has not answered counts as lost.
 */
import { connect, type TLSSocket } from 'node:tls'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import { OwnerLost, type Owner } from '../../workflows/capture/hand-over.ts'
import { Lines } from './lines.ts'
import { IDENTITY, TLS, type Answer, type Question } from './messages.ts'

const LOOK_EVERY_MS = 200
/**
 * Consecutive checks without a message from the other process: one second. However long this process is frozen itself, that counts as one
 * check.
 */
const MOST_SILENT_LOOKS = 5

interface Open {
  resolve(taken: Taken[]): void
  reject(error: Error): void
}

export class Peer implements Owner {
  readonly #socket: TLSSocket
  readonly #lines: Lines<Question, Answer>
  readonly #open = new Map<number, Open>()
  #silentLooks = 0
  #count = 0
  #looking: NodeJS.Timeout | undefined
  /** It takes notifications. */
  isReady = false
  /** It has taken notifications, or was about to. */
  wasReady = false
  /** It answers, but has a different key. */
  isForeign = false
  /** Resolves when it is ready or lost. */
  readonly settled: Promise<void>
  #welcomed: () => void = () => {}

  /** @param holder  of this process's lease · @param onEnd  called once */
  constructor(
    { host, port, key, holder }: { host: string; port: number; key: Buffer; holder: string },
    onEnd: () => void,
  ) {
    const pskCallback = () => ({ psk: key, identity: IDENTITY })
    // Every process with the key belongs to this installation, whatever its name.
    const socket = connect({ ...TLS, host, port, pskCallback, checkServerIdentity: () => undefined })
    this.#socket = socket.setNoDelay(true)
    this.#lines = new Lines(socket, (answer) => this.#hear(answer))
    this.settled = new Promise((resolve) => {
      this.#welcomed = resolve
      socket.once('secureConnect', () => this.#lines.send({ hello: holder }))
      socket.once('close', () => {
        this.#lost()
        resolve()
        onEnd()
      })
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => (this.isForeign = code?.startsWith('ERR_SSL_') ?? false))
    socket.on('end', () => socket.destroy())
    this.#watch()
  }

  take(arrivals: readonly Arrival[], waitedMs: number): Promise<Taken[]> {
    if (!this.isReady) return Promise.reject(new OwnerLost('the process is gone'))
    const n = ++this.#count
    if (this.#open.size === 0) this.#silentLooks = 0
    const answered = new Promise<Taken[]>((resolve, reject) => this.#open.set(n, { resolve, reject }))
    this.#lines.send({ n, arrivals: [...arrivals], waitedMs })
    return answered
  }

  close(): void {
    this.#socket.destroy()
  }

  #hear(answer: Answer): void {
    this.#silentLooks = 0
    if (answer === 'pong') return
    if (answer === 'welcome') {
      this.isReady = true
      this.wasReady = true
      return this.#welcomed()
    }
    if (answer === 'bye') return void (this.isReady = false)
    const open = this.#open.get(answer.n)
    this.#open.delete(answer.n)
    if ('taken' in answer) open?.resolve(answer.taken)
    else open?.reject(new StoreUnavailable(answer.error))
  }

  /** Until the handshake is done, it must answer too. */
  #watch(): void {
    this.#looking = setInterval(() => {
      if (this.isReady && this.#open.size === 0) return
      if (++this.#silentLooks > MOST_SILENT_LOOKS) this.#socket.destroy()
      else if (this.isReady) this.#lines.send('ping')
    }, LOOK_EVERY_MS).unref()
  }

  #lost(): void {
    this.isReady = false
    clearInterval(this.#looking)
    for (const { reject } of this.#open.values()) reject(new OwnerLost('the process is gone'))
    this.#open.clear()
  }
}
