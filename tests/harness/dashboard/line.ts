/** The line between a browser and a server. It can be cut, and a stream on it can fall silent without an end. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Line {
  url: string
  /** Ends all connections. New ones work. */
  cut(): void
  /**
   * As after a sleep, or behind a router that has forgotten it: an event stream stays open, and nothing arrives any more. Other connections
   * end, and new ones work.
   */
  silence(): void
  close(): Promise<void>
}

/** @param port  of the server */
export const openLine = async (port: number): Promise<Line> => {
  const open = new Set<Socket>()
  const streams = new Set<Socket>()
  const silent = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    const ends = (from: Socket, to: Socket): void => {
      open.add(from)
      from.pipe(to)
      const pass = () => void (silent.has(from) || to.destroy())
      // A server that is not there refuses the connection, as it would without this line.
      from.on('error', pass)
      from.on('close', () => {
        open.delete(from)
        pass()
      })
    }
    ends(near, far)
    ends(far, near)
    far.on('data', (data: Buffer) => {
      if (data.includes('text/event-stream')) streams.add(near).add(far)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of open) socket.destroy()
    },
    silence: () => {
      for (const socket of open) {
        if (!streams.has(socket)) socket.destroy()
        else silent.add(socket.unpipe().pause())
      }
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
