/** A TCP proxy that can cut connections, refuse them, go silent, delay answers, and drop an answer. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'

export interface Proxy {
  port: number
  cut(): void
  mend(): void
  silence(): void
  loseNextAnswer(): Promise<void>
  /** Delays every later answer. In milliseconds. */
  delay(milliseconds: number): void
  /** Passes at most this many bytes of each later request in 50 ms. */
  limit(bytes: number): void
  close(): Promise<void>
}

export const openProxy = async (targetPort: number, targetHost = '127.0.0.1'): Promise<Proxy> => {
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isCut = false
  let lose: (() => void) | null = null
  let delayMs = 0
  let mostBytes = Infinity

  /** Reads on when what was read has had its time. */
  const limited = (client: Socket, bytes: number): void => {
    if (mostBytes === Infinity) return
    client.pause()
    setTimeout(() => client.resume(), (50 * bytes) / mostBytes)
  }

  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(targetPort, targetHost)
    const both = [client, upstream]
    for (const socket of both) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of both) other.destroy()
      })
    }
    client.on('data', (request) => {
      if (silent.has(client)) return
      upstream.write(request)
      limited(client, request.length)
    })
    upstream.on('data', (answer) => {
      if (silent.has(client)) return
      if (lose) {
        lose()
        lose = null
        for (const socket of both) socket.destroy()
      } else if (delayMs > 0) setTimeout(() => client.write(answer), delayMs)
      else client.write(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true
      endAll()
    },
    mend: () => {
      isCut = false
    },
    silence: () => {
      for (const socket of sockets) silent.add(socket)
    },
    loseNextAnswer: () => new Promise((resolve) => (lose = resolve)),
    delay: (milliseconds) => {
      delayMs = milliseconds
    },
    limit: (bytes) => {
      mostBytes = bytes
    },
    close: async () => {
      endAll()
      server.close()
      await once(server, 'close')
    },
  }
}
