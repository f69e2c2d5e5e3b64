/** Runs Baoco like a user: `baoco serve`, or one role of it, as a process with its own data folder. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atExit } from './at-exit.ts'
import { bundledScript } from './bundled-script.ts'
import { eventually } from './eventually.ts'
import { freePorts } from './free-ports.ts'

/** The same variable and options as in `npm start`. */
const GIVES_MEMORY_BACK = { MALLOC_TRIM_THRESHOLD_: '131072' }
export const NODE_OPTIONS: readonly string[] = [
  '--expose-gc',
  '--no-flush-bytecode',
  '--min-semi-space-size=4',
  '--max-semi-space-size=32',
]

/** The options of V8 that `npm test` sets (`tests/run.mjs`). Processes that a test starts do as the test's own process. */
const asHere = process.execArgv.filter((option) => /^--(?:interrupt-budget=|single-threaded-gc$)/.test(option))

/** Milliseconds that a start may take. It waits until the read models have everything that was stored before. */
const READY_WITHIN = 240_000

const BAOCO = 'cmd/baoco.mjs'

const root = new URL('../..', import.meta.url).pathname

/** The program of Baoco as if it were its next version: `tests/harness/next-version.mjs`. */
export const nextVersion = (): Promise<string> => bundledScript(join(root, 'tests/harness/next-version.mjs'))

export interface Installation {
  dataDir: string
  port: number
  /** Printed once, at the first start. */
  apiKey: string
  email: string
  password: string
  /** Signs in once. */
  signInLink: string
  personalUrl: string
}

export interface Running {
  baseUrl: string
  /** Everything that it has printed so far. */
  output: () => string
  /** Sends SIGTERM and waits for the end of the process. Returns the duration in ms. */
  stop(): Promise<number>
  /** Kills its whole process group with kill -9, and waits for its end. */
  kill(): Promise<void>
  process: ChildProcess
}

export interface DataFolder {
  dataDir: string
  port: number
}

/** A data folder and a port for one installation. */
export const newDataFolder = async (): Promise<DataFolder> => ({
  dataDir: await mkdtemp(join(tmpdir(), 'baoco-')),
  port: (await freePorts(1))[0]!,
})

export interface Starting extends Running {
  /** Resolves when the process prints that it is ready. Rejects if it ends before, or takes too long. */
  ready: Promise<void>
  /** Resolves with the exit status when the process has ended. */
  ended: Promise<number | null>
}

export interface StartOptions {
  /** Default: Baoco of this checkout. */
  program?: string
  nodeOptions?: readonly string[]
  /** Milliseconds until it must be ready. */
  within?: number
}

const environmentOf = ({ dataDir, port }: DataFolder, env: Record<string, string>): NodeJS.ProcessEnv => ({
  ...GIVES_MEMORY_BACK,
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: String(port),
  BAOCO_DATA_DIR: dataDir,
  LOG_LEVEL: 'info',
  // Most tests read English mails and alerts.
  ADMIN_LANGUAGE: 'en',
  ...env,
})

/** Starts a command and does not wait for it. */
export const launchBaoco = (
  dataFolder: DataFolder,
  env: Record<string, string> = {},
  command = 'serve',
  { program = BAOCO, nodeOptions = NODE_OPTIONS, within = READY_WITHIN }: StartOptions = {},
): Starting => {
  const child = spawn(process.execPath, [...nodeOptions, ...asHere, resolve(root, program), command], {
    cwd: root,
    detached: true, // Its own process group allows killing all of it at once.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(dataFolder, env),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // This event comes after the last output.
  const ended = new Promise<number | null>((resolve) => child.once('close', (status) => resolve(status)))
  const gone = () => child.exitCode !== null || child.signalCode !== null
  // It has its own process group, so it would outlive a benchmark that fails. It stops its own Postgres.
  const stopToo = () => void (gone() || child.kill('SIGTERM'))
  atExit.add(stopToo)
  child.once('exit', () => atExit.delete(stopToo))
  const isReady = () => /^Baoco is ready/m.test(output)
  const ready = eventually(() => gone() || isReady(), { within, what: `a started baoco ${command}` }).then(
    async () => {
      if (!gone()) return
      const status = await ended
      throw new Error(`baoco ${command} ended (${child.signalCode ?? status}) and did not get ready:\n${output}`)
    },
    (error: Error) => {
      throw new Error(`${error.message}\n${output}`)
    },
  )
  ready.catch(() => {})
  return {
    ready,
    ended,
    baseUrl: `http://127.0.0.1:${dataFolder.port}`,
    output: () => output,
    process: child,
    stop: async () => {
      const began = performance.now()
      child.kill('SIGTERM')
      await exited
      return performance.now() - began
    },
    kill: async () => {
      if (!gone()) process.kill(-child.pid!, 'SIGKILL')
      await exited
    },
  }
}

/** Starts the process and waits until it prints that it is ready. */
export const startBaoco = async (
  dataFolder: DataFolder,
  env: Record<string, string> = {},
  command = 'serve',
  options: StartOptions = {},
): Promise<Running> => {
  const running = launchBaoco(dataFolder, env, command, options)
  await running.ready.catch(async (error: unknown) => {
    await running.kill()
    throw error
  })
  return running
}

/** @returns what a start or a command printed behind a label */
export const printedValue = (output: string, label: string): string => {
  const [, value] = new RegExp(`^\\s*${label}\\s+(\\S+)`, 'm').exec(output) ?? []
  if (!value) throw new Error(`Baoco did not print its ${label}:\n${output}`)
  return value
}

/** Reads the output of the first start, like a user. */
export const readInstallation = (dataFolder: DataFolder, output: string): Installation => ({
  ...dataFolder,
  apiKey: printedValue(output, 'API key'),
  email: printedValue(output, 'e-mail'),
  password: printedValue(output, 'password'),
  signInLink: printedValue(output, 'sign-in link'),
  personalUrl: printedValue(output, 'personal URL'),
})

export const removeDataFolder = ({ dataDir }: DataFolder): Promise<void> =>
  rm(dataDir, { recursive: true, force: true, maxRetries: 5 })

/** Calls the API with the key. Returns the status and the parsed body. */
export const callApi = async (
  running: Running,
  apiKey: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> & { data?: unknown } }> => {
  const response = await fetch(running.baseUrl + path, {
    method,
    headers: { 'x-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
