/** A Postgres server of the test's own, to be stopped and started; its folder goes with it. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPlace, removePlace } from '../../adapters/postgres/embedded-place.ts'
import { initialise, start, stop, SUPERUSER, type Server } from '../../adapters/postgres/embedded-server.ts'
import { silent } from '../../adapters/log-lines.ts'

export interface OwnPostgres {
  port: number
  /** @param port  where to reach it, when not directly */
  url(port?: number): string
  start(): Promise<void>
  stop(): Promise<void>
  /** kill -9 of the server, and wait for its end. */
  kill(): Promise<void>
  remove(): Promise<void>
}

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'baoco-contract-'))
  const place = await findPlace(folder, silent)
  const password = randomBytes(12).toString('hex')
  await initialise(place, password)
  const port = await freePort()
  let running: Server = await start(place, port)
  return {
    port,
    url: (through = port) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${through}/postgres`,
    start: async () => {
      running = await start(place, port)
    },
    stop: () => stop(running),
    kill: async () => {
      process.kill(running.pid, 'SIGKILL')
      await running.gone
    },
    remove: async () => {
      await stop(running)
      removePlace(folder)
    },
  }
}
