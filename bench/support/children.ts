/** Child processes of a benchmark. Each prints one JSON line when it is ready or done. */
import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundledScript } from '../../tests/harness/bundled-script.ts'
import type { Load, LoadReport } from './load.ts'

const children = new Set<ChildProcess>()

type Started = { child: ChildProcess; line: Promise<string> }

const start = async (file: string, argument?: unknown, env: Record<string, string> = {}): Promise<Started> => {
  const script = await bundledScript(fileURLToPath(new URL(file, import.meta.url)))
  const args = [script, ...(argument === undefined ? [] : [JSON.stringify(argument)])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  children.add(child)
  const line = new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text)
    })
    // Its output may arrive after its exit.
    child.once(
      'close',
      (code) => (children.delete(child), code === 0 ? resolve(text) : reject(new Error(`${file} ended with ${code}`))),
    )
  })
  return { child, line }
}

/** Runs a child process to its end and returns its report. */
export const runChild = async <Report>(
  file: string,
  argument: unknown,
  env?: Record<string, string>,
): Promise<Report> => {
  const { child, line } = await start(file, argument, env)
  const report = JSON.parse(await line) as Report
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  return report
}

/** Sends a load from a process of its own. By default it has orders, and its first number is 1. */
export const sendLoad = (load: Partial<Load>): Promise<LoadReport> =>
  runChild<LoadReport>('./load.ts', { connections: 32, orders: true, from: 1, ...load } satisfies Partial<Load>)

export interface Listening {
  url: string
  /** One URL for each of its ports. */
  urls: readonly string[]
  stop: () => void
}

/** Starts a child process that listens, and returns its address. */
export const startChild = async (file: string, argument?: unknown): Promise<Listening> => {
  const { child, line } = await start(file, argument)
  const { port, ports = [port] } = JSON.parse(await line) as { port: number; ports?: number[] }
  const urls = ports.map((each) => `http://127.0.0.1:${each}`)
  return { url: urls[0]!, urls, stop: () => child.kill() }
}

/** The times at which each order arrived at the endpoints of a receiver. */
export const arrivalsAt = async ({ url }: Pick<Listening, 'url'>): Promise<Record<string, number[]>> =>
  (await (await fetch(`${url}/arrivals`)).json()) as Record<string, number[]>

// A signal alone ends the process without the event below.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))
