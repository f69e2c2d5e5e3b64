/**
 * `npm test`. Runs all tests, two files at a time. With arguments, this is mocha.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')

/** Files at a time. More of them starve each other on two cores: clients give up on servers that get no CPU. */
const JOBS = 2

const files = readdirSync(join(root, 'tests'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
  .sort()

/** @returns mocha's exit status */
const run = () =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MOCHA, '--jobs', String(JOBS), ...files], {
      cwd: root,
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
  process.exitCode = await run()
}
