/** A stand-in in a process and a folder of its own, to be killed and started again on the same port. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface OwnStandIn {
  port: number
  url: string
  start(): Promise<void>
  /** kill -9: what was answered is there after the next start. */
  stop(): Promise<void>
  remove(): Promise<void>
}

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

export const standInUrl = (port: number): string => `esdb://127.0.0.1:${port}?tls=false`

export const startOwnStandIn = async (): Promise<OwnStandIn> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-eventstoredb-'))
  let child: ChildProcess
  let port = 0
  const start = async (): Promise<void> => {
    const args = ['--import', 'tsx', MAIN, '--port', String(port), '--folder', folder]
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: child.stdout! })) {
      port = Number(/^listening on (\d+)$/.exec(line)?.[1])
      break
    }
    if (!(port > 0)) throw new Error('the stand-in did not start')
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return {
    port,
    url: standInUrl(port),
    start,
    stop,
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
