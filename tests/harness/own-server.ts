/**
 * A server for one test: a process with its own ports and folder, which is stopped, killed, frozen and started again in the same place.
 * Postgres, Kafka, the stand-in for EventStoreDB and Dovecot all use this.
 */
import { spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { atExit } from './at-exit.ts'
import { eventually } from './eventually.ts'

export interface OwnServer {
  /** Starts it again if it has ended, at the same address and with its data. Resolves when it answers. */
  start(): Promise<void>
  /** Requests its end and waits for it. */
  stop(): Promise<void>
  /** Sends kill -9 and waits for its end. */
  kill(): Promise<void>
  /** Sends SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void
  thaw(): void
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

export interface ServerProcess {
  pid: number
  /** Settles when the process is gone, for any reason. */
  gone: Promise<void>
  isGone(): boolean
}

export interface ServerParts {
  /** The folder with its data. */
  folder: string
  /** Resolves when it answers. */
  launch(): Promise<ServerProcess>
  /** A way to end it other than SIGTERM. */
  end?(running: ServerProcess): Promise<void>
  /** Another way to remove the folder, if more than the folder must be removed. */
  clear?(folder: string): void
  /** The signal that ends it at once when it is removed. Default: SIGKILL. */
  lastSignal?: NodeJS.Signals
}

/** Starts it for the first time. @throws if it does not start; nothing of it remains then */
export const startOwnServer = async (parts: ServerParts): Promise<OwnServer> => {
  const { folder, launch, end = terminate, clear = removeFolder, lastSignal = 'SIGKILL' } = parts
  let running: ServerProcess | undefined
  /** @returns the processes that got it */
  const signal = (name: NodeJS.Signals): number[] => {
    const family = running && !running.isGone() ? familyOf(running.pid) : []
    for (const pid of family) tell(pid, name)
    return family
  }
  const beginEnd = (name: NodeJS.Signals): number[] => {
    const family = signal(name)
    signal('SIGCONT') // A frozen process takes no other signal than SIGKILL.
    return family
  }
  const disappear = (): void => {
    beginEnd(lastSignal)
    clear(folder)
  }
  const endAll = async (name: NodeJS.Signals): Promise<void> => {
    const family = beginEnd(name)
    await running?.gone
    // Postgres does not start while a process of the killed server still has its memory.
    await eventually(() => !family.some(isAlive), { what: 'the end of every process of a killed server' })
  }
  const server: OwnServer = {
    start: async () => {
      if (!running || running.isGone()) running = await launch()
    },
    stop: async () => {
      if (running) await end(running)
    },
    kill: () => endAll('SIGKILL'),
    freeze: () => void signal('SIGSTOP'),
    thaw: () => void signal('SIGCONT'),
    remove: async () => {
      await endAll(lastSignal)
      atExit.delete(disappear)
      clear(folder)
    },
  }
  atExit.add(disappear)
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // Otherwise it has ended meanwhile.
  }
}

/** The system's data of a process; null if there is none. A name may contain spaces and brackets. */
const statOf = (pid: number): { state: string; parent: number } | null => {
  try {
    const [, state, parent] = /.*\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return { state: state!, parent: Number(parent) }
  } catch {
    return null // It has ended, or this is not Linux.
  }
}

/** Whether it still has memory: a zombie has none. */
const isAlive = (pid: number): boolean => ![undefined, 'Z', 'X'].includes(statOf(pid)?.state)

/**
 * A process and its children, if the system lists them (Postgres and Dovecot work with child processes). The process itself comes first.
 */
const familyOf = (pid: number): number[] => {
  const all =
    process.platform === 'linux'
      ? readdirSync('/proc')
          .filter((entry) => /^\d+$/.test(entry))
          .map(Number)
      : []
  return [pid, ...all.filter((each) => statOf(each)?.parent === pid)]
}

/**
 * @param isUp called until it returns true
 * @throws with the output, if the process ends before or takes too long (milliseconds)
 */
export const launchServer = async (
  [command, ...args]: readonly [string, ...string[]],
  { isUp, within = 120_000, ...options }: SpawnOptions & { isUp: () => Promise<boolean>; within?: number },
): Promise<ServerProcess> => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-10_000)))
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  const gone = once(child, 'exit').then(() => {})
  await eventually(async () => isGone() || (await isUp()), { within, what: `${command} that answers` }).catch(
    (error: Error) => {
      child.kill('SIGKILL')
      throw new Error(`${error.message}\n${output}`)
    },
  )
  if (isGone()) throw new Error(`${command} did not start:\n${output}`)
  return { pid: child.pid!, gone, isGone }
}
