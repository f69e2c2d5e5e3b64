/** Baoco as a user runs it: `baoco serve`, or one role of it, as a process of its own, on a data folder of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePorts } from './free-ports.ts'

/** As `npm start` runs it. */
const NODE_OPTIONS = ['--min-semi-space-size=32', '--max-semi-space-size=64']

const root = new URL('../..', import.meta.url).pathname

export interface Installation {
  dataDir: string
  port: number
  /** Shown once, at the first start. */
  apiKey: string
  email: string
  password: string
  personalUrl: string
}

export interface Running {
  baseUrl: string
  /** Everything it printed so far. */
  output: () => string
  /** SIGTERM, and wait for its end; answers how long that took (ms). */
  stop(): Promise<number>
  /** kill -9 of its whole process group, and wait for its end. */
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
  /** Resolves when it says that it is ready; fails when it ends before, or takes too long. */
  ready: Promise<void>
  /** Resolves when it has ended, with its exit status. */
  ended: Promise<number | null>
}

/** Starts a command and leaves it to itself. */
export const launchBaoco = (
  { dataDir, port }: DataFolder,
  env: Record<string, string> = {},
  command = 'serve',
): Starting => {
  const child = spawn(process.execPath, [...NODE_OPTIONS, join(root, 'cmd/baoco.mjs'), command], {
    cwd: root,
    detached: true, // a process group of its own, so that all of it can be killed at once
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      BAOCO_DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  // Comes after the last of what it printed.
  const ended = new Promise<number | null>((resolve) => child.once('close', (status) => resolve(status)))
  const gone = () => child.exitCode !== null || child.signalCode !== null
  const isReady = () => /^Baoco is ready/m.test(output)
  const ready = eventually(() => gone() || isReady(), { within: 240_000, what: `a started baoco ${command}` }).then(
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
    baseUrl: `http://127.0.0.1:${port}`,
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

/** Starts it and waits until it says that it is ready. */
export const startBaoco = async (
  place: DataFolder,
  env: Record<string, string> = {},
  command = 'serve',
): Promise<Running> => {
  const running = launchBaoco(place, env, command)
  await running.ready.catch(async (error: unknown) => {
    await running.kill()
    throw error
  })
  return running
}

/** What the first start printed, read as its user would. */
export const readInstallation = (place: DataFolder, output: string): Installation => {
  const labelled = (label: string): string => {
    const [, value] = new RegExp(`^\\s*${label}\\s+(\\S+)`, 'm').exec(output) ?? []
    if (!value) throw new Error(`the start did not print its ${label}:\n${output}`)
    return value
  }
  return {
    ...place,
    apiKey: labelled('API key'),
    email: labelled('e-mail'),
    password: labelled('password'),
    personalUrl: labelled('personal URL'),
  }
}

export const removeDataFolder = ({ dataDir }: DataFolder): Promise<void> =>
  rm(dataDir, { recursive: true, force: true, maxRetries: 5 })

/** Calls the API with the key; answers status and parsed body. */
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
