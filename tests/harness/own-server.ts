/**
 * A server of a test's own: a process on ports and in a folder that are nobody else's, which is stopped, killed, frozen and
 * started again where it was. Postgres, Kafka, the stand-in for EventStoreDB and Dovecot are all handled by this.
 */
import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { eventually } from './eventually.ts'

export interface OwnServer {
  /** Again, at the same address and with what it had. Resolves when it answers. */
  start(): Promise<void>
  /** Asks it to end, and waits for that. */
  stop(): Promise<void>
  /** kill -9, and waits for its end. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay and nothing answers. */
  freeze(): void
  thaw(): void
  /** Ends it for good; its folder goes with it. */
  remove(): Promise<void>
}

export interface ServerProcess {
  pid: number
  /** Settled when the process is gone, for whatever reason. */
  gone: Promise<void>
  isGone(): boolean
}

export interface ServerParts {
  /** What it keeps. */
  folder: string
  /** Resolves when it answers. */
  launch(): Promise<ServerProcess>
  /** Another way to end it than SIGTERM. */
  end?(running: ServerProcess): Promise<void>
  /** Another way to remove the folder, where it is not all. */
  clear?(folder: string): void
}

/** Starts it for the first time. @throws where it does not start; nothing of it is left then */
export const startOwnServer = async (parts: ServerParts): Promise<OwnServer> => {
  const { folder, launch, end = terminate, clear = removeFolder } = parts
  let running: ServerProcess | undefined
  const signal = (name: NodeJS.Signals): void => {
    if (running && !running.isGone()) for (const pid of familyOf(running.pid)) tell(pid, name)
  }
  const atExit = (): void => {
    signal('SIGKILL')
    clear(folder)
  }
  const server: OwnServer = {
    start: async () => {
      running = await launch()
    },
    stop: async () => {
      if (running) await end(running)
    },
    kill: async () => {
      signal('SIGKILL')
      await running?.gone
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    remove: async () => {
      await server.kill()
      process.off('exit', atExit)
      clear(folder)
    },
  }
  process.once('exit', atExit)
  try {
    await server.start()
  } catch (error) {
    await server.remove()
    throw error
  }
  return server
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

const terminate = async ({ pid, gone, isGone }: ServerProcess): Promise<void> => {
  if (!isGone()) process.kill(pid, 'SIGTERM')
  await gone
}

const tell = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // else it has ended meanwhile
  }
}

/** A process and those it has started, where the system tells (Postgres and Dovecot work by them); itself first. */
const familyOf = (pid: number): number[] => {
  const parentOf = (entry: string): number => {
    try {
      return Number(/.*\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))?.[1])
    } catch {
      return 0 // it has ended meanwhile
    }
  }
  const all = process.platform === 'linux' ? readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)) : []
  return [pid, ...all.filter((entry) => parentOf(entry) === pid).map(Number)]
}

/**
 * @param isUp  asked until it is true
 * @throws with what it said, where it ends before or takes too long (milliseconds)
 */
export const launchServer = async (
  [command, ...args]: readonly [string, ...string[]],
  { isUp, within = 120_000, ...options }: SpawnOptions & { isUp: () => Promise<boolean>; within?: number },
): Promise<ServerProcess> => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  const gone = once(child, 'exit').then(() => {})
  await eventually(async () => isGone() || (await isUp()), { within, what: `${command} that answers` }).catch(
    (error: Error) => {
      child.kill('SIGKILL')
      throw new Error(`${error.message}\n${said}`)
    },
  )
  if (isGone()) throw new Error(`${command} did not start:\n${said}`)
  return { pid: child.pid!, gone, isGone }
}
