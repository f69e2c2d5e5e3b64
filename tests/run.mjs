/**
 * `npm test`. Runs all tests, three files at a time. Files that take longest start first. With arguments, this is mocha.
 *
 * Temporary folders lie in memory where the machine has room there, so that no database waits for a disk. The databases keep the
 * settings of production.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')

/** Files that take longest, in the order in which they start. */
const LONGEST = [
  'tests/chaos/',
  'tests/contract/event-store/',
  'tests/end-to-end/',
  'tests/integration/openapi/property-run',
  'tests/integration/delivery/processes',
]

/** Files at a time. Most of what they do is to wait for servers and processes; more than these starve each other on two cores. */
const JOBS = 3

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

const files = readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
  .sort()

const rank = (file) => {
  const index = LONGEST.findIndex((beginning) => file.startsWith(beginning))
  return index === -1 ? LONGEST.length : index
}

const inOrder = files.toSorted((a, b) => rank(a) - rank(b))

/** @returns mocha's exit status */
const run = (env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MOCHA, '--jobs', String(JOBS), ...inOrder], {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
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
  const folder = folderInMemory()
  process.on('exit', () => folder && rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const env = { ...process.env, ...(folder && { TMPDIR: folder }) }
  process.exitCode = await run(env)
}
