/** A data folder whose embedded Postgres a test opens in this process and in others, and what tests write into its database. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openEmbeddedPostgres, type EmbeddedPostgres } from '../../adapters/postgres/embedded/embedded.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { bundledScript } from './bundled-script.ts'
import { eventually } from './eventually.ts'
import { removeDirectory } from './remove-directory.ts'

const HOLDER = fileURLToPath(new URL('embedded-process.ts', import.meta.url))

interface HowToLaunch {
  /** A module that the process imports first. */
  imports?: string
  /** A command that runs the process. */
  by?: readonly string[]
  env?: NodeJS.ProcessEnv
}

export class EmbeddedFolder {
  dataDir = fs.mkdtempSync(join(tmpdir(), 'baoco-embedded-'))
  readonly opened: EmbeddedPostgres[] = []
  readonly processes: ChildProcess[] = []

  async open(): Promise<EmbeddedPostgres> {
    const embedded = await openEmbeddedPostgres({ dataDir: this.dataDir, log: silent })
    this.opened.push(embedded)
    return embedded
  }

  /** Starts another process that opens the data folder. @returns it, and the first line that it prints */
  async launch({ imports, by = [], env = process.env }: HowToLaunch = {}) {
    const script = [...(imports ? ['--import', imports] : []), await bundledScript(HOLDER), this.dataDir]
    const [command = '', ...args] = [...by, process.execPath, ...script]
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    this.processes.push(child)
    const ended = once(child, 'exit')
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    return { child, line, ended }
  }

  /** The same. @returns its answer without the leading word */
  async holder(env = process.env): Promise<{ answer: string; child: ChildProcess }> {
    const { child, line } = await this.launch({ env })
    return { answer: line.replace(/^\w+ /, ''), child }
  }

  realPath(): string {
    return fs.realpathSync(this.dataDir)
  }

  pidFile(): string {
    return join(this.realPath(), 'postgres', 'postmaster.pid')
  }

  serverPid(): number {
    return Number.parseInt(fs.readFileSync(this.pidFile(), 'utf8'), 10)
  }

  async close(): Promise<void> {
    for (const embedded of this.opened.splice(0)) await embedded.stop()
    for (const child of this.processes.splice(0)) child.kill('SIGKILL')
    // The guard of a killed process stops its server. Remove the folder only after that.
    await eventually(() => !fs.existsSync(this.pidFile()), { what: 'the end of the server' })
    removeDirectory(this.dataDir)
  }
}

export const kill = async ({ child }: { child: ChildProcess }): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** @param url  of the database */
export const ask = async (url: string, statement: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

export const keepNote = (url: string, note: string) =>
  ask(url, `CREATE TABLE IF NOT EXISTS note (text text); INSERT INTO note VALUES ('${note}')`)
export const notes = async (url: string) =>
  (await ask(url, 'SELECT text FROM note ORDER BY text')).map(({ text }) => text)
