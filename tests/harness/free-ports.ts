/**
 * Ports for servers that a test starts, and starts again on the same port. They lie below the range for outgoing connections. Otherwise
 * such a connection could take the port while its server is stopped. A file for each port keeps it from the other test processes of
 * this machine until this process ends. Port 10080 is left out: `fetch` refuses it (https://fetch.spec.whatwg.org/#port-blocking).
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './is-alive.ts'

const [LOWEST, HIGHEST] = [10_081, 32_000]

const FOLDER = join(tmpdir(), `baoco-test-ports-${process.getuid?.() ?? 0}`)
const fileOf = (port: number): string => join(FOLDER, String(port))

const kept: number[] = []
process.once('exit', () => {
  for (const port of kept) rmSync(fileOf(port), { force: true })
})

/** @returns false if another process keeps the port */
const keep = (port: number): boolean => {
  mkdirSync(FOLDER, { recursive: true })
  try {
    writeFileSync(fileOf(port), String(process.pid), { flag: 'wx' })
    kept.push(port)
    return true
  } catch {
    // A process that was killed has left its file. The port is free again the next time.
    const pid = Number(readIfThere(fileOf(port)))
    if (pid > 0 && !isAlive(pid)) rmSync(fileOf(port), { force: true })
    return false
  }
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

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
    if (!keep(port)) continue
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
