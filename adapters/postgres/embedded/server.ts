// Tests: tests/integration/embedded-postgres.test.ts
/** One Postgres server process in a directory: creates, starts and stops it, and cleans up after an unclean end. */
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
/**
 * Milliseconds. A fast stop ends transactions and writes a checkpoint. After this time, an immediate stop leaves the
 * checkpoint to the next start.
 */
const FAST_STOP_MS = 2_000
const POLL_MS = 20
/** Milliseconds that a start waits for the processes of a server that was killed. */
const STILL_ENDING_MS = 10_000

/**
 * A fixed environment, so that no `PG…` variable of the operator's shell changes the server's behaviour. glibc gives freed memory back at
 * once. Otherwise each connection that has once received a large group keeps 4 MB more.
 */
const environment = () => ({ PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC', MALLOC_TRIM_THRESHOLD_: '131072' })

/**
 * A commit that was answered survives a power failure: fsync, full_page_writes and synchronous_commit are set explicitly. The
 * other options suit one machine without replicas: fewer checkpoints, and crash recovery within seconds. `baoco backup` needs
 * the level `replica` and a sender.
 */
const OPTIONS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: '100',
  // Pages that do not fit are in the system's file cache, which costs little more: 256 MB and 64 MB need the same CPU time per payment.
  shared_buffers: `${Math.round(Math.min(64, Math.max(32, totalmem() / MEGABYTE / 8)))}MB`,
  wal_level: 'replica',
  // The log holds a whole page when the page changes for the first time after a checkpoint. It is 2 KB instead of 8.
  wal_compression: 'pglz',
  max_wal_senders: '2',
  max_logical_replication_workers: '0',
  wal_buffers: '4MB',
  min_wal_size: '256MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '10min',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Details, contexts and statements of errors may contain notification texts, so they are not logged.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Creates an empty database cluster. Either all of it or nothing remains. */
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
        `--pgdata=${draft}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--no-instructions',
        // Postgres' own Unicode rules: the same sort order and lower case on every machine, whatever locales it has.
        ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        `--lc-ctype=${ctype}`,
        // Repeated hashing protects the passwords of people. This one is random, and every new connection would wait for it.
        '--set=scram_iterations=1',
      ],
      { cwd: '/', env: environment(), ...user },
    )
  try {
    // Without this, pg_trgm does not recognise letters beyond ASCII. A machine that lacks the locale has a less precise
    // search index.
    await initdb('C.UTF-8').catch((error: { stderr?: string }) => {
      if (!error.stderr?.includes('invalid locale')) throw error
      return initdb('C')
    })
  } catch (error) {
    const output = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
    throw new Error(`the embedded Postgres could not be initialised: ${oneLine(output)}`)
  } finally {
    fs.rmSync(passwordFile, { force: true })
  }
  fs.renameSync(draft, data)
}

export const isInitialised = ({ data }: PostgresDirectory): boolean => fs.existsSync(join(data, 'PG_VERSION'))

export interface Server {
  pid: number
  /** Resolves when the process has ended, for any reason. */
  gone: Promise<void>
  isGone(): boolean
}

interface HowToStart {
  stopping?: AbortSignal
  settings?: Record<string, string>
}

/** Thrown if another program took the port in the meantime. */
export class PortTaken extends Error {
  override name = 'PortTaken'
}

/** Thrown while processes of a server that was killed still hold its memory. */
class StillEnding extends Error {
  override name = 'StillEnding'
}

/**
 * Starts the server in a separate session, so that a Ctrl-C that ends Baoco does not end the server first. Resolves when the
 * server accepts connections. After an unclean end, that is after recovery.
 * @param how.stopping  aborts a start that is in progress
 * @param how.settings  of the server, in place of the usual ones. Only tests change them.
 * @throws {PortTaken}, or an error with the server's last error message
 */
export const start = async (directory: PostgresDirectory, port: number, how: HowToStart = {}): Promise<Server> => {
  for (const until = Date.now() + STILL_ENDING_MS; ; await delay(10 * POLL_MS))
    try {
      return await launch(directory, port, how)
    } catch (error) {
      if (!(error instanceof StillEnding) || how.stopping?.aborted || Date.now() > until) throw error
    }
}

/** The process becomes the server when it has a guard. If Baoco is killed before that, it ends. */
const WHEN_GUARDED = 'read -r word && exec "$0" "$@" < /dev/null'

const launch = async (
  directory: PostgresDirectory,
  port: number,
  { stopping, settings = {} }: HowToStart,
): Promise<Server> => {
  const { data, native, log, user } = directory
  const output = openLog(log)
  const from = fs.fstatSync(output).size
  const options = Object.entries({ ...OPTIONS, ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = spawn('/bin/sh', ['-c', WHEN_GUARDED, join(native, 'bin', 'postgres'), '-D', data, ...options], {
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['pipe', output, output],
    ...user,
  })
  fs.closeSync(output)
  child.unref()
  child.stdin?.on('error', () => {})
  let failure: Error | undefined
  const onFailure = (error: Error) => (failure = error)
  child.on('error', onFailure)
  const release = child.pid === undefined ? undefined : guard(directory, child.pid, onFailure)
  child.stdin?.end(release && 'guarded\n')
  let isGone = false
  // If there is no process, there is an 'error' event instead of 'exit', and `once` throws it.
  const gone = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      isGone = true
      release?.()
    })
  while (!isGone) {
    const [pid, , , , , , , state] = (readForeignFile(join(data, 'postmaster.pid')) ?? '').split('\n')
    if (Number(pid) === child.pid && state?.trim() === 'ready')
      return { pid: child.pid as number, gone, isGone: () => isGone }
    if (stopping?.aborted) child.kill('SIGQUIT')
    await delay(POLL_MS)
  }
  const printed = fs.readFileSync(log).subarray(from).toString('utf8')
  if (/could not bind|Address already in use/.test(printed)) throw new PortTaken(`port ${port} is taken`)
  const reason = `the embedded Postgres did not start: ${failure?.message ?? (oneLine(printed) || 'no output')} (${log})`
  throw printed.includes('pre-existing shared memory block') ? new StillEnding(reason) : new Error(reason)
}

const OUT_OF_SPACE = /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/

/** The most useful line: a full disk, else the last error message. */
const oneLine = (output: string): string => {
  const lines = output.trim().split('\n')
  const cause =
    lines.find((line) => OUT_OF_SPACE.test(line)) ?? lines.findLast((line) => /FATAL|PANIC|error:/i.test(line))
  return (cause ?? lines.at(-1) ?? '').trim()
}

const openLog = (path: string): number => {
  if ((fs.lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_KEPT_BYTES) fs.renameSync(path, `${path}.1`)
  return openToAppend(path)
}

/**
 * Stops a server fast: sessions are ended and all data is written to disk. A server that takes too long is killed and
 * recovers at its next start.
 */
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
 * Cleans up after an earlier run. A server that still runs without its Baoco (or is just stopping) is stopped. If the process
 * id in `postmaster.pid` now belongs to another program, or to a server that has ended and was not reaped, the file is changed to an
 * impossible id. Otherwise the file of a dead server is left to Postgres, which uses it to check whether sessions of that server are
 * still alive.
 * @returns the process id of the server that was stopped
 */
export const clearLeftovers = async ({ data }: Pick<PostgresDirectory, 'data'>): Promise<number | undefined> => {
  const path = join(data, 'postmaster.pid')
  const pid = Number.parseInt(readForeignFile(path) ?? '', 10)
  if (!(pid > 0)) return undefined
  const isLeft = isServerOn(data, pid)
  if (isLeft) await stop({ pid, isGone: () => !isServerOn(data, pid) })
  // A server that was stopped in time has removed the file.
  const text = readForeignFile(path)
  // The database's user owns the file and the folder, so root must not follow a link in it.
  if (text?.startsWith(`${pid}\n`) && isAlive(pid) && !isServerOn(data, pid))
    overwriteForeignFile(path, text.replace(/^\d+/, String(NO_PROCESS)), fs.statSync(data).uid)
  return isLeft ? pid : undefined
}

/** Larger than the largest process id of any system. */
const NO_PROCESS = 2_147_483_647

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether this process is the server of that data directory, which is always its working directory. */
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
 * Its first argument is the file with the process id of the running server. A server that has just begun has not written it yet. If the
 * server has ended, another process may have its id.
 */
const GUARD = `read -r word
[ "$word" = done ] && exit
while kill -0 "$1"; do
  [ "$(head -n 1 "$0")" = "$1" ] && kill -INT "$1" && exit
  sleep 1
done`

/**
 * Starts a shell that waits for this process to end and then stops the server, so that a killed Baoco leaves no server behind.
 * @returns a function that ends the guard without stopping the server; nothing if the system starts no further process
 */
const guard = (
  { data, user }: PostgresDirectory,
  pid: number,
  onFailure: (error: Error) => void,
): (() => void) | undefined => {
  const shell = spawn('/bin/sh', ['-c', GUARD, join(data, 'postmaster.pid'), String(pid)], {
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    ...user,
  })
  shell.on('error', onFailure)
  if (shell.pid === undefined) return undefined
  shell.stdin.on('error', () => {})
  shell.unref()
  ;(shell.stdin as unknown as { unref(): void }).unref()
  return () => shell.stdin.end('done\n')
}

export const makePassword = (): string => randomBytes(24).toString('base64url')
