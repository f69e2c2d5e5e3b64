/**
 * `npm test`. Runs all tests in two lanes side by side: files that mostly wait (for servers that start, stop, freeze or are killed), and
 * files that mostly compute. The second lane has a lower priority, so that nothing in the first runs into a timeout for want of CPU. The
 * last line is mocha's count of both. With arguments, this is mocha.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')

/**
 * Beginnings of the paths of files that mostly wait, in the order in which they run. The two that run every role as a process of its own
 * are not side by side.
 */
const WAITING = [
  'e2e/node-24',
  'chaos/reliability-of-processes',
  'integration/kafka/outage',
  'integration/embedded-postgres',
  'integration/kafka/serve',
  'attack/hostile-mail-server',
  'chaos/roles',
  'integration/capture/crash-points',
  'contract/',
  'e2e/',
  'chaos/',
  'integration/kafka/',
  'integration/store-migration/',
  'integration/eventstoredb/',
  'integration/roles/',
  'integration/mail-ingest/',
  'integration/baoco-command',
]

/** Of the rest, those to begin with: a long file at the end would be waited for alone. */
const LONG = [
  'integration/delivery/processes',
  'integration/benchmarks',
  'integration/http/accounts-unknown-and-known',
  'unit/domain/reader/mutations',
  'integration/openapi/',
  'integration/delivery/',
]

const files = readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(join(root, 'tests'), join(entry.parentPath ?? entry.path, entry.name)))
  .sort()

const rankIn = (beginnings, file) => {
  const rank = beginnings.findIndex((beginning) => file.startsWith(beginning))
  return rank < 0 ? beginnings.length : rank
}
const ordered = (some, beginnings) => some.toSorted((one, other) => rankIn(beginnings, one) - rankIn(beginnings, other))
const isWaiting = (file) => rankIn(WAITING, file) < WAITING.length

const LANES = [
  { jobs: 2, priority: 0, files: ordered(files.filter(isWaiting), WAITING) },
  {
    jobs: 2,
    priority: 10,
    files: ordered(
      files.filter((file) => !isWaiting(file)),
      LONG,
    ),
  },
]

const COUNT = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/
const total = [0, 0, 0]

/** @returns mocha's exit status */
const run = ({ jobs, priority, files: some }) =>
  new Promise((resolve, reject) => {
    const paths = some.map((file) => join('tests', file))
    const child = spawn(process.execPath, [MOCHA, '--jobs', String(jobs), ...paths], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (child.pid !== undefined) setPriority(child.pid, priority)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const count = COUNT.exec(line)
      if (count) for (let n = 0; n < total.length; n++) total[n] += Number(count[n + 1] ?? 0)
      else console.log(line)
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', reject)
    child.on('close', (status) => resolve(status ?? 1))
  })

const words = process.argv.slice(2)
if (words.length > 0) {
  process.argv = [process.execPath, MOCHA, ...words]
  await import(MOCHA)
} else {
  const statuses = await Promise.all(LANES.map(run))
  const [passed, failed, skipped] = total
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = Math.max(...statuses)
}
