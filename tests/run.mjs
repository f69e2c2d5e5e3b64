/**
 * `npm test`. Runs all test files in two lanes side by side: files that mostly wait (for servers that start, stop, freeze or are killed), in
 * two processes, and files that mostly compute, in three. The second lane has a lower priority, so that nothing in the first runs into a
 * timeout for want of CPU. A process whose lane is empty helps the other one. After the failures come the longest files, and the last line is
 * the count. With arguments, this is mocha.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import mocharc from '../.mocharc.mjs'
import { compiledPath, compileSources } from './harness/compile-sources.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
/** Where the compiled sources are. Packages are found from there. `tests/e2e/node-24.test.ts` runs them too. */
const COMPILED = join(root, 'node_modules/.cache/baoco-tests', String(process.pid))
/** Where `tests/harness/bundled-script.ts` keeps its bundles. */
const BUNDLED_SCRIPTS = join(root, 'node_modules/.cache/baoco-scripts', String(process.pid))
/** A file system in memory. Most folders of tests are there: a file costs half as much as on a disk. */
const MEMORY = '/dev/shm'
/** Bytes that it must have free. A run used 2.1 GB at most at a time. */
const ENOUGH_MEMORY = 8 * 2 ** 30
/**
 * How V8 runs in the tests, and in the processes under test (`tests/harness/baoco-process.ts`). Both cores are busy all the time, so threads that
 * collect garbage side by side only get in each other's way. Most code of a test runs a few times, so it is optimised later than usual, which
 * saves a tenth of the CPU time. Node 24 has no option for the latter.
 */
const V8_OPTIONS = [
  '--single-threaded-gc',
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []),
]
/** A worker prints it after each file, before the counts. No test prints this character. */
const END_OF_FILE = '\u0001end of file '

/**
 * Beginnings of the paths of files that mostly wait, in the order in which they run: the longest first, because a long file at the end would
 * be waited for alone.
 */
const WAITING = [
  'e2e/node-24',
  'chaos/reliability-of-processes',
  'e2e/browser/dashboard.test',
  'integration/kafka/outage',
  'integration/mail-ingest/refused-mails',
  'integration/embedded-postgres',
  'attack/hostile-mail-server',
  // It measures how long a login takes.
  'attack/logins',
  'integration/capture/crash-points',
  'chaos/store-',
  'chaos/postgres-lost',
  'chaos/rolling-upgrade',
  'e2e/main-job',
  'integration/eventstoredb/cluster',
  'integration/mail-ingest/',
  'e2e/fresh-clone',
  'contract/',
  'e2e/',
  'chaos/',
  'integration/kafka/',
  'integration/store-migration/',
  'integration/eventstoredb/',
  'integration/roles/',
  'integration/baoco-command',
  'integration/stop-signals',
]

/** Of the rest, those to begin with, for the same reason. */
const LONG = [
  'integration/benchmarks',
  'integration/parked/serve',
  'integration/http/accounts-unknown-and-known',
  'integration/backup',
  'integration/openapi/',
  'integration/server-password',
  'attack/limits-of-strangers',
  'unit/domain/reader/mutations',
  'attack/leaks',
  'attack/account-deletion-cost',
  'integration/first-start',
  'integration/looking-commands',
  'integration/full-disk',
  'integration/http/export-memory',
  'integration/http/store-away',
  'integration/parked/',
  'integration/delivery/',
  'integration/setup',
  'integration/traces',
]

/** Files that need no installed program. They run first, while programs for the other files are still being installed. */
const PLAIN = /^unit\/(?!web\/)/

/** Files that one process runs one after another, in place of the first one. */
const IN_TURN = [
  // They share the broker of their process: one more takes 12 s of CPU. The first ones stop it, which takes least while it has few topics. The
  // first two run every role as a process of its own, which is much for two cores.
  [
    'chaos/reliability-of-processes.test.ts',
    'chaos/roles.test.ts',
    'integration/kafka/outage.test.ts',
    'integration/kafka/serve.test.ts',
    'integration/delivery/processes.test.ts',
    'chaos/store-went-back.test.ts',
    'chaos/postgres-lost.test.ts',
    'e2e/main-job-kafka.test.ts',
    'e2e/main-job-eventstoredb-and-kafka.test.ts',
    'e2e/main-job-roles.test.ts',
    'integration/kafka/relay.test.ts',
    'integration/kafka/acls.test.ts',
    'integration/kafka/again.test.ts',
    'integration/kafka/delivery.test.ts',
    'integration/kafka/secured.test.ts',
    'contract/log/kafka.test.ts',
  ],
]

const files = readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(join(root, 'tests'), join(entry.parentPath ?? entry.path, entry.name)))
  .sort()

for (const file of IN_TURN.flat()) if (!files.includes(file)) throw new Error(`there is no file ${file}`)

const rankIn = (beginnings, file) => {
  const rank = beginnings.findIndex((beginning) => file.startsWith(beginning))
  return rank < 0 ? beginnings.length : rank
}
const isWaiting = (file) => rankIn(WAITING, file) < WAITING.length

/** @returns files in the order of the beginnings; files that one process runs in turn are one element */
const queueOf = (some, beginnings) =>
  some
    .filter((file) => !IN_TURN.some((turns) => turns.includes(file, 1)))
    .toSorted((one, other) => rankIn(beginnings, one) - rankIn(beginnings, other))
    .map((file) => IN_TURN.find(([first]) => first === file) ?? [file])

/** `.ci/run` names a file that exists while it installs programs. */
const { INSTALLING = '' } = process.env
/** Settles when the scripts that tests start are bundled, and Baoco was started once. */
let bundles
const programs = async () => {
  await bundles
  while (INSTALLING && existsSync(INSTALLING)) await pause(200)
}
const nothing = () => Promise.resolve()

const waiting = { priority: 0, needs: programs, queue: queueOf(files.filter(isWaiting), WAITING) }
const computed = files.filter((file) => !isWaiting(file))
const plain = { priority: 10, needs: nothing, queue: queueOf(computed.filter((file) => PLAIN.test(file)), LONG) } // prettier-ignore
const computing = { priority: 10, needs: programs, queue: queueOf(computed.filter((file) => !PLAIN.test(file)), LONG) } // prettier-ignore

/** @returns a folder in memory; undefined if there is too little, or no program may run there */
const folderInMemory = () => {
  if (process.env.TMPDIR || !existsSync(MEMORY) || !existsSync('/proc/mounts')) return undefined
  const { bavail, bsize } = statfsSync(MEMORY)
  const mounted = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === MEMORY)
  if (!mounted || mounted.includes('noexec') || bavail * bsize < ENOUGH_MEMORY) return undefined
  const folder = mkdtempSync(join(MEMORY, 'baoco-tests-'))
  chmodSync(folder, 0o1777)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const total = { passes: 0, failures: 0, pending: 0 }
/** The output of the files with a failure, to print again. */
const failed = []
const durations = []

const { timeout, 'forbid-only': forbidOnly, 'forbid-pending': forbidPending, 'fail-zero': failZero } = mocharc
const options = JSON.stringify({ timeout, forbidOnly, forbidPending, failZero })

/** Where the tests put their folders; undefined means where the system does. */
let temporary

const begin = (priority) => {
  const child = fork(join(COMPILED, compiledPath('tests/harness/test-worker.ts')), [options, END_OF_FILE], {
    cwd: root,
    execArgv: ['--enable-source-maps', ...V8_OPTIONS],
    env: { ...process.env, ...(temporary && { TMPDIR: temporary }) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  // On top of this process's own, which a user other than root may not undercut.
  setPriority(child.pid, Math.min(19, getPriority() + priority))
  const lines = createInterface({ input: child.stdout })
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')])
  return {
    priority,
    isAlive: () => child.connected,
    end: () => {
      if (child.connected) child.disconnect()
      return ended
    },
    /** @returns the counts of a file, and what it printed */
    run: (file) =>
      new Promise((resolve) => {
        const printed = []
        const finish = (counts) => {
          lines.off('line', read)
          resolve({ ...counts, printed })
        }
        const read = (line) => {
          if (line.startsWith(END_OF_FILE)) finish(JSON.parse(line.slice(END_OF_FILE.length)))
          else printed.push(line)
        }
        lines.on('line', read)
        void ended.then(() => {
          printed.push(`  the process of ${file} ended in the middle of it`)
          finish({ passes: 0, failures: 1, pending: 0 })
        })
        child.send(join(COMPILED, compiledPath(join('tests', file))))
      }),
  }
}

const workers = new Set()

/** Runs the files of one lane, then those that are left in the others. */
const work = async (...lanes) => {
  let worker
  for (const lane of lanes) {
    await lane.needs()
    for (let some = lane.queue.shift(); some; some = lane.queue.shift())
      for (const file of some) {
        // No process can raise its priority.
        if (!worker?.isAlive() || lane.priority < worker.priority) {
          await worker?.end()
          worker = begin(lane.priority)
          workers.add(worker)
        }
        const began = performance.now()
        const { printed, ...counts } = await worker.run(file)
        durations.push({ file, seconds: (performance.now() - began) / 1_000 })
        for (const name of Object.keys(total)) total[name] += counts[name]
        const text = [`${file}`, ...printed].join('\n')
        console.log(text)
        if (counts.failures > 0) failed.push(text)
      }
  }
  await worker?.end()
}

const words = process.argv.slice(2)
if (words.length > 0) {
  process.argv = [process.execPath, MOCHA, ...words]
  await import(MOCHA)
} else {
  process.once('exit', () => {
    for (const folder of [BUNDLED_SCRIPTS, COMPILED]) rmSync(folder, { recursive: true, force: true })
  })
  temporary = folderInMemory()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, async () => {
      await Promise.all([...workers].map((worker) => worker.end()))
      process.exit(1)
    })
  await compileSources(root, COMPILED)
  process.env.BUNDLED_SCRIPTS = BUNDLED_SCRIPTS
  process.env.COMPILED_SOURCES = COMPILED
  const { bundleScripts } = await import(join(COMPILED, compiledPath('tests/harness/bundled-script.ts')))
  const { warmStart } = await import(join(COMPILED, compiledPath('tests/harness/warm-start.ts')))
  // If Baoco does not start, the tests show why.
  bundles = Promise.all([bundleScripts(), warmStart(V8_OPTIONS).catch(() => {})])
  const waits = Array.from({ length: 2 }, () => work(waiting, computing))
  const computes = Array.from({ length: 3 }, () => work(plain, computing, waiting))
  await Promise.all([...waits, ...computes])
  for (const text of failed) console.log(`failed: ${text}`)
  const longest = durations.toSorted((one, other) => other.seconds - one.seconds).slice(0, 25)
  for (const { file, seconds } of longest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${file}`)
  const { passes, failures, pending } = total
  console.log(`${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`)
  process.exitCode = failures > 0 ? 1 : 0
}
