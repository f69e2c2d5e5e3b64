/** One Postgres server process on a place: made, started, stopped, and what an unclean end left behind dealt with. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openToAppend, overwriteForeignFile, readForeignFile } from '../../system/private-file.ts'
import type { PostgresDirectory } from './directory.ts'

export const SUPERUSER = 'baoco'

const MEGABYTE = 1024 * 1024
const LOG_KEPT_BYTES = 10 * MEGABYTE
/** A fast stop ends transactions and writes a checkpoint. After this time an immediate stop leaves that to the next start. Milliseconds. */
const FAST_STOP_MS = 2_000
const POLL_MS = 20

/** No `PG…` variable of the operator's shell may change what the server does. */
const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }

/**
 * A commit that was answered survives a power cut: fsync, full_page_writes and synchronous_commit say so in their own
 * right. The rest is for one machine without replicas: less log, fewer checkpoints, and crash recovery in seconds.
 */
const OPTIONS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  shared_buffers: `${Math.round(Math.min(256, Math.max(32, totalmem() / MEGABYTE / 8)))}MB`,
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_buffers: '16MB',
  min_wal_size: '256MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '10min',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Details, contexts and statements of errors may hold notification texts: they are not logged.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Makes an empty database cluster, all of it or nothing. */
export const initialise = async ({ data, native, user }: PostgresDirectory, password: string): Promise<void> => {
  const draft = `${data}.new`
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  const passwordFile = `${data}.password`
  fs.rmSync(passwordFile, { force: true })
  fs.writeFileSync(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' })
  if (user) for (const path of [draft, passwordFile]) fs.chownSync(path, user.uid, user.gid)
  const initdb = (ctype: string) =>
    promisify(execFile)(
      join(native, 'bin', 'initdb'),
      [
        ...[
          '-D',
          draft,
          '--username',
          SUPERUSER,
          '--pwfile',
          passwordFile,
          '--auth',
          'scram-sha-256',
          '--no-instructions',
        ],
        // Postgres' own Unicode: the same order and the same lower case on every machine, whatever locales it has.
        ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
        ...['--lc-ctype', ctype],
      ],
      { cwd: '/', env: ENVIRONMENT, ...user },
    )
  try {
    // pg_trgm takes letters beyond ASCII for letters only by this; a machine without it has a coarser search index.
    await initdb('C.UTF-8').catch((error: { stderr?: string }) => {
      if (!error.stderr?.includes('invalid locale')) throw error
      return initdb('C')
    })
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
    throw new Error(`the embedded Postgres could not be initialised: ${oneLine(said)}`)
  } finally {
    fs.rmSync(passwordFile, { force: true })
  }
  fs.renameSync(draft, data)
}

export const isInitialised = ({ data }: PostgresDirectory): boolean => fs.existsSync(join(data, 'PG_VERSION'))

export interface Server {
  pid: number
  /** Settled when the process is gone, for whatever reason. */
  gone: Promise<void>
  isGone(): boolean
}

/** Thrown when the port was taken in the meantime. */
export class PortTaken extends Error {
  override name = 'PortTaken'
}

/**
 * Starts the server in a session of its own, so that a Ctrl-C that ends Baoco does not end it first. Resolves when it
 * takes connections, which after an unclean end is when it has recovered.
 * @param stopping  gives up a start that is under way
 * @throws {PortTaken}, or an error with the server's own last complaint
 */
export const start = async (place: PostgresDirectory, port: number, stopping?: AbortSignal): Promise<Server> => {
  const { data, native, log, user } = place
  const output = openLog(log)
  const from = fs.fstatSync(output).size
  const options = Object.entries({ ...OPTIONS, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn(join(native, 'bin', 'postgres'), ['-D', data, ...options], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['ignore', output, output],
    ...user,
  })
  fs.closeSync(output)
  child.unref()
  const release = child.pid === undefined ? () => {} : guard(place, child.pid)
  let isGone = false
  // Without a process there is an 'error' in place of the 'exit', which `once` throws.
  const gone = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      isGone = true
      release()
    })
  while (!isGone) {
    const [pid, , , , , , , state] = (readForeignFile(join(data, 'postmaster.pid')) ?? '').split('\n')
    if (Number(pid) === child.pid && state?.trim() === 'ready')
      return { pid: child.pid as number, gone, isGone: () => isGone }
    if (stopping?.aborted) child.kill('SIGQUIT')
    await delay(POLL_MS)
  }
  const said = fs.readFileSync(log).subarray(from).toString('utf8')
  if (/could not bind|Address already in use/.test(said)) throw new PortTaken(`port ${port} is taken`)
  throw new Error(`the embedded Postgres did not start: ${oneLine(said) || 'no output'} (${log})`)
}

/** What says most: the last complaint. */
const oneLine = (said: string): string => {
  const lines = said.trim().split('\n')
  return (lines.findLast((line) => /FATAL|PANIC|error:/i.test(line)) ?? lines.at(-1) ?? '').trim()
}

const openLog = (path: string): number => {
  if ((fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_KEPT_BYTES) fs.renameSync(path, `${path}.1`)
  return openToAppend(path)
}

/** Ends a server fast: sessions are cut off, everything is on disk. One that takes too long recovers at its next start. */
export const stop = async ({ pid, isGone }: Pick<Server, 'pid' | 'isGone'>): Promise<void> => {
  if (isGone()) return
  for (const [signal, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', 500],
    ['SIGKILL', 500],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    for (const until = Date.now() + patience; Date.now() < until; await delay(POLL_MS)) if (isGone()) return
  }
}

/**
 * Deals with what an earlier run left: a server that still runs without its Baoco (or is just stopping) is stopped, a
 * `postmaster.pid` whose process id belongs to something else by now is made to say so. A dead server's file is left to
 * Postgres, which looks by it whether sessions of that server still live.
 * @returns the process id of the server that was stopped
 */
export const clearLeftovers = async ({ data }: Pick<PostgresDirectory, 'data'>): Promise<number | undefined> => {
  const path = join(data, 'postmaster.pid')
  const text = readForeignFile(path)
  const pid = Number.parseInt(text ?? '', 10)
  if (!text || !(pid > 0)) return undefined
  if (isServerOn(data, pid)) {
    await stop({ pid, isGone: () => !isServerOn(data, pid) })
    return pid
  }
  // The file is the database's user's, and so is the folder: root must not be led elsewhere by it.
  if (isAlive(pid)) overwriteForeignFile(path, text.replace(/^\d+/, String(NO_PROCESS)), fs.statSync(data).uid)
  return undefined
}

/** Beyond every system's largest process id. */
const NO_PROCESS = 2_147_483_647

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether this process is the server of that data directory, in which it always stands. */
const isServerOn = (data: string, pid: number): boolean => {
  try {
    if (process.platform === 'linux') return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(data)
    return isAlive(pid) && readCommand(pid).includes(data)
  } catch {
    return false
  }
}

const readCommand = (pid: number): string =>
  execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

/**
 * A shell that only waits for this process to end: then it stops the server, so that a killed Baoco leaves none behind.
 * It looks first whether the server is still this one: the next Baoco may have been quicker.
 * @returns ends the guard without stopping anything
 */
const guard = ({ data, user }: PostgresDirectory, pid: number): (() => void) => {
  const script = 'read -r word; [ "$word" = done ] || [ "$(head -n 1 "$0")" != "$1" ] || kill -INT "$1"'
  const shell = spawn('/bin/sh', ['-c', script, join(data, 'postmaster.pid'), String(pid)], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...user,
  })
  shell.on('error', () => {})
  shell.stdin.on('error', () => {})
  shell.unref()
  ;(shell.stdin as unknown as { unref(): void }).unref()
  return () => shell.stdin.end('done\n')
}

export const makePassword = (): string => randomBytes(24).toString('base64url')
