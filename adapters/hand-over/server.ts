// Tests: tests/integration/hand-over/hand-over.test.ts
/** Takes the notifications that other processes hand over. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { Lines } from './lines.ts'
import { IDENTITY, revived, TLS, type Answer, type Question } from './messages.ts'

const HANDSHAKE_MS = 2_000
const MOST_CONNECTIONS = 1_000
/** How long a stop waits for answers that are being worked on, milliseconds. */
const GRACE_MS = 5_000

export interface PeerServer {
  port: number
  close(): Promise<void>
}

export interface PeerServerOptions {
  host: string
  /** 0: any. */
  port: number
  key: Buffer
  take(arrivals: readonly Arrival[], waitedMs: number): Promise<Taken[]>
  /** Whether the lease of a process is in the database of this one. */
  isKnown(holder: string): Promise<boolean>
  /** Another process was let in. */
  onPeer(): void
}

/** @throws if the address cannot be listened on */
export const listenForPeers = async ({
  host,
  port,
  key,
  take,
  isKnown,
  onPeer,
}: PeerServerOptions): Promise<PeerServer> => {
  const open = new Map<TLSSocket, Lines<Answer, Question>>()
  const working = new Set<Promise<void>>()
  const pskCallback = (_socket: unknown, identity: string): Buffer | null => (identity === IDENTITY ? key : null)
  const server = createServer(
    { ...TLS, pskCallback, pskIdentityHint: IDENTITY, handshakeTimeout: HANDSHAKE_MS },
    (socket) => {
      let isLetIn = false
      const letIn = async (holder: string): Promise<void> => {
        if (!(await isKnown(holder).catch(() => false))) return void socket.destroy()
        isLetIn = true
        lines.send('welcome')
        onPeer()
      }
      const lines = new Lines<Answer, Question>(socket, (question) => {
        if (question === 'ping') return lines.send('pong')
        if ('hello' in question) return void letIn(String(question.hello))
        if (!isLetIn) return void socket.destroy()
        const { n, arrivals, waitedMs } = question
        const work = take(arrivals.map(revived), waitedMs)
          .then(
            (taken) => lines.send({ n, taken }),
            (error: Error) => lines.send({ n, error: error.message }),
          )
          .finally(() => working.delete(work))
        working.add(work)
        return undefined
      })
      open.set(socket, lines)
      socket.setNoDelay(true)
      // Notifications that were handed over are still decided, although their sender has taken them back.
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  // Anyone may connect, but without the key the TLS handshake fails.
  server.on('tlsClientError', () => {})
  server.listen(port, host)
  await once(server, 'listening')
  server.on('error', () => {})
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close()
      for (const lines of open.values()) lines.send('bye')
      const late = new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())
      await Promise.race([Promise.all(working), late])
      // The last answers leave in this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      for (const socket of open.keys()) socket.destroySoon()
    },
  }
}
