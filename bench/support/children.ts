/** Child processes of a benchmark: each prints one JSON line when it is up, or when it is done. */
import { spawn, type ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()

const start = (file: string, argument?: unknown): { child: ChildProcess; line: Promise<string> } => {
  const path = new URL(file, import.meta.url).pathname
  const args = ['--import', 'tsx', path, ...(argument === undefined ? [] : [JSON.stringify(argument)])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  const line = new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout!.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text)
    })
    child.once(
      'exit',
      (code) => (children.delete(child), code === 0 ? resolve(text) : reject(new Error(`${file} ended with ${code}`))),
    )
  })
  return { child, line }
}

/** Runs one to its end and answers what it printed. */
export const runChild = async <Report>(file: string, argument: unknown): Promise<Report> => {
  const { child, line } = start(file, argument)
  const report = JSON.parse(await line) as Report
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  return report
}

/** Starts one that listens, and answers its address. */
export const startChild = async (file: string): Promise<{ url: string; stop: () => void }> => {
  const { child, line } = start(file)
  const { port } = JSON.parse(await line) as { port: number }
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))
