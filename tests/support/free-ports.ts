import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Ports that nothing listens on, each another one. */
export const freePorts = async (count: number): Promise<number[]> => {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      return probe
    }),
  )
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')))
  return ports
}
