/**
 * Runs a command of Baoco in this process, for tests of what it does and prints: a process of its own takes half a second more of CPU time. One
 * test of each command starts one, because only that shows that it ends by itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { pino } from 'pino'
import { failureText } from '../../cmd/command-parts/failure-text.ts'
import { within } from '../../adapters/system/within.ts'
import { openProgram } from '../../cmd/program.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

export interface Ended {
  /** The exit status; null if a signal ended the process. */
  status: number | null
  stdout: string
  stderr: string
}

type Listener = () => void

/** The listeners that a command may leave behind, because its process ends with it: to signals, and to its output. */
const listeners = (): [EventEmitter, string | symbol, Listener][] =>
  [process, process.stdout, process.stderr].flatMap((emitter: EventEmitter) =>
    (emitter === process ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : emitter.eventNames()).flatMap((event) =>
      emitter
        .rawListeners(event)
        .map((listener): [EventEmitter, string | symbol, Listener] => [emitter, event, listener as Listener]),
    ),
  )

/** @returns a function that removes the listeners that were added since */
const rememberListeners = (): (() => void) => {
  const before = new Set(listeners().map(([, , listener]) => listener))
  return () => {
    for (const [emitter, event, listener] of listeners()) if (!before.has(listener)) emitter.off(event, listener)
  }
}

/** Milliseconds. It is less than a test may take, so a command that never ends fails its own test, and the next one can run. */
const AT_MOST = 200_000

/** The command whose code runs; undefined for other code of this process. */
const running = new AsyncLocalStorage<symbol>()

/**
 * Replaces a property of an object for the code of a command. Other code of this process keeps the former one: the servers of a test, and
 * the report about a test that failed while its command went on.
 * @returns a function that puts the former one back
 */
const replaceFor = (command: symbol, owner: object, name: string, value: unknown): (() => void) => {
  const former = Object.getOwnPropertyDescriptor(owner, name)
  const ofOthers = (): unknown => {
    if (!former) return Reflect.get(Object.getPrototypeOf(owner) as object, name, owner)
    return former.get ? former.get.call(owner) : former.value
  }
  Object.defineProperty(owner, name, {
    get: () => (running.getStore() === command ? value : ofOthers()),
    configurable: true,
    enumerable: true,
  })
  return () => {
    if (former) Object.defineProperty(owner, name, former)
    else Reflect.deleteProperty(owner, name)
  }
}

/** Collects what is written. It never asks the writer to wait. */
const collector = () => {
  const chunks: Buffer[] = []
  const write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    chunks.push(Buffer.from(chunk as Uint8Array))
    const done = more.at(-1)
    if (typeof done === 'function') done()
    return true
  }
  return { write, text: () => new TextDecoder().decode(Buffer.concat(chunks)) }
}

const run = async (args: readonly string[], env: NodeJS.ProcessEnv, input: string, atMost: number): Promise<Ended> => {
  const [stdout, stderr] = [collector(), collector()]
  const formerStatus = process.exitCode
  const command = Symbol(args.join(' '))
  const replace = (owner: object, name: string, value: unknown) => replaceFor(command, owner, name, value)
  const restoring = [
    rememberListeners(),
    replace(process, 'env', { ...env }),
    replace(process, 'stdin', Readable.from([Buffer.from(input)])),
    replace(process.stdout, 'write', stdout.write),
    replace(process.stderr, 'write', stderr.write),
    // Otherwise the log is written straight to the file descriptor.
    replace(pino, 'destination', () => Object.assign(new EventEmitter(), { write: stderr.write, flushSync: () => {} })),
  ]
  process.exitCode = 0
  /** @returns its exit status */
  const main = async (): Promise<number> => {
    try {
      const program = await openProgram(args[0])
      await program.parseAsync(args, { from: 'user' })
      return Number(process.exitCode)
    } catch (error) {
      // As in `cmd/baoco.ts`.
      const isUsage = error instanceof CommanderError
      if (!isUsage) stderr.write(`baoco: ${failureText(error)}\n`)
      return isUsage ? (error.exitCode === 0 ? 0 : 2) : 1
    }
  }
  const late = () =>
    new Error(`baoco ${args.join(' ')} did not end within ${atMost} ms:\n${stdout.text()}${stderr.text()}`)
  try {
    const status = await within(atMost, running.run(command, main), late)
    return { status, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    running.disable()
    for (const restore of restoring.toReversed()) restore()
    process.exitCode = formerStatus
  }
}

let before: Promise<unknown> = Promise.resolve()

/**
 * Commands run one after another, because a process has one environment and one standard output.
 * @param env  its whole environment
 * @param input  what it reads from standard input
 * @param atMost  milliseconds · @throws if it takes longer
 */
export const commandInProcess = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
  atMost = AT_MOST,
): Promise<Ended> => {
  const ended = before.then(() => run(args, env, input, atMost))
  before = ended.catch(() => {})
  return ended
}

/** The same as a process of its own. */
export const commandAsProcess = async (args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ended> => {
  const child = spawn(process.execPath, [BAOCO, ...args], { env })
  child.stdin.end(input)
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { status, stdout, stderr }
}
