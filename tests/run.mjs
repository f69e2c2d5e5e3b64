/**
 * `npm test`. Runs all tests in two lanes side by side: files that mostly wait (for servers, processes, a browser) with three
 * jobs, and the files that compute with one. Two cores are busy with that. Files that take longest start first. With arguments, this is mocha.
 *
 * Temporary folders lie in memory where the machine has room there, so that no database waits for a disk. The databases keep the
 * settings of production. The last line adds up the counts of both lanes.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')

/** Folders and files whose tests mostly wait. */
const WAITING = [
  'tests/browser/',
  'tests/chaos/',
  'tests/contract/',
  'tests/end-to-end/',
  'tests/integration/eventstoredb/',
  'tests/integration/kafka/',
  'tests/integration/collect/',
  'tests/integration/delivery/',
  'tests/integration/moving/',
  'tests/integration/roles/',
  'tests/integration/account-commands',
  'tests/integration/baoco-command',
  'tests/integration/benchmarks',
  'tests/integration/embedded-postgres',
  'tests/integration/looking-commands',
  'tests/integration/mail-out/serve',
  'tests/integration/setup',
]

/** Files that take longest, in the order in which they start. */
const LONGEST = [
  'tests/chaos/',
  'tests/contract/event-store/',
  'tests/end-to-end/',
  'tests/integration/openapi/property-run',
  'tests/integration/delivery/processes',
]

const JOBS = { waiting: 3, computing: 2 }

/** Room that the temporary folders of a whole run need, with some to spare. */
const MEMORY_BYTES = 6 * 1024 ** 3

const memory = '/dev/shm'

/** @returns a folder for temporary files in memory; undefined where the machine has none of that size */
const folderInMemory = () => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize < MEMORY_BYTES) return undefined
    const folder = mkdtempSync(join(memory, 'baoco-tests-'))
    chmodSync(folder, 0o711) // the databases' user has to pass through
    return folder
  } catch {
    return undefined
  }
}

const startsWithOneOf = (file, beginnings) => beginnings.findIndex((beginning) => file.startsWith(beginning))

const files = readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
  .sort()

const rank = (file) => {
  const index = startsWithOneOf(file, LONGEST)
  return index === -1 ? LONGEST.length : index
}

const lanes = {
  waiting: files.filter((file) => startsWithOneOf(file, WAITING) !== -1).sort((a, b) => rank(a) - rank(b)),
  computing: files.filter((file) => startsWithOneOf(file, WAITING) === -1).sort((a, b) => rank(a) - rank(b)),
}

const COUNT = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/

/** Runs mocha on some files and passes on what it prints, but for the count. @returns its exit status and counts */
const runLane = (jobs, some, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MOCHA, '--jobs', String(jobs), ...some], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, () => child.kill(signal))
    const counts = [0, 0, 0]
    createInterface({ input: child.stdout }).on('line', (line) => {
      const count = COUNT.exec(line)
      if (!count) return void console.log(line)
      for (const index of [0, 1, 2]) counts[index] += Number(count[index + 1] ?? 0)
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ status: status ?? 1, counts }))
  })

const words = process.argv.slice(2)
if (words.length > 0) {
  process.argv = [process.execPath, MOCHA, ...words]
  await import(MOCHA)
} else {
  const folder = folderInMemory()
  process.on('exit', () => folder && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const env = { ...process.env, ...(folder && { TMPDIR: folder }) }
  const results = await Promise.all(Object.entries(lanes).map(([lane, some]) => runLane(JOBS[lane], some, env)))
  const [passed, failed, skipped] = [0, 1, 2].map((index) =>
    results.reduce((sum, { counts }) => sum + counts[index], 0),
  )
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = results.find(({ status }) => status !== 0)?.status ?? 0
}
