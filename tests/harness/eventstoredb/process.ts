/** A stand-in in its own process and folder. Everything that it answered is there after the next start, however it ended. */
import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledScript } from '../bundled-script.ts'
import { freePorts } from '../free-ports.ts'
import { launchServer, startOwnServer, type OwnServer } from '../own-server.ts'

export interface OwnStandIn extends OwnServer {
  port: number
  url: string
  /** Loses everything after a position, and ends every connection. @param checkpoint  of an event */
  putBack(checkpoint: string): Promise<void>
}

/** Its events stay in memory. Without these, Node looks through all of them again and again, which stops it for up to a second. */
const FLAGS = ['--max-semi-space-size=64', '--initial-old-space-size=2048']

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

export const standInUrl = (port: number): string => `esdb://127.0.0.1:${port}?tls=false`

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** @param isAsSlowAsReal  its appends take as long as those of a real server, for benchmarks */
export const startOwnStandIn = async ({ isAsSlowAsReal = false } = {}): Promise<OwnStandIn> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-eventstoredb-'))
  const [port = 0] = await freePorts(1)
  const command = [
    process.execPath,
    ...FLAGS,
    await bundledScript(MAIN),
    '--port',
    String(port),
    '--folder',
    folder,
    ...(isAsSlowAsReal ? ['--as-slow-as-real'] : []),
  ] as const
  const launch = () => launchServer(command, { isUp: () => listens(port) })
  const putBack = async (checkpoint: string): Promise<void> => {
    const body = JSON.stringify({ position: Number(checkpoint.split('/')[0]) })
    await fetch(`http://127.0.0.1:${port}/stand-in/put-back`, { method: 'POST', body })
  }
  return { port, url: standInUrl(port), putBack, ...(await startOwnServer({ folder, launch })) }
}
