/**
 * Ports for servers that a test starts, and starts again on the same port. They lie below the range for outgoing connections. Otherwise
 * such a connection could take the port while its server is stopped.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

const [LOWEST, HIGHEST] = [10_000, 32_000]

const listenOn = async (port: number): Promise<Server | null> => {
  const probe = createServer()
  const listening = once(probe, 'listening')
  probe.listen(port)
  return listening.then(
    () => probe,
    () => null,
  )
}

const probeSome = async (): Promise<{ port: number; probe: Server }> => {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    const probe = await listenOn(port)
    if (probe) return { port, probe }
  }
}

/** Returns different ports on which nothing listens. */
export const freePorts = async (count: number): Promise<number[]> => {
  const found = await Promise.all(Array.from({ length: count }, probeSome))
  await Promise.all(found.map(({ probe }) => once(probe.close(), 'close')))
  return found.map(({ port }) => port)
}
