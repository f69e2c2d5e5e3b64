/**
 * Makes a clone ready, then runs what it was told to: `node cmd/setup.mjs [--dev] [script arguments…]`.
 *
 * Runs `npm ci` where node_modules is not what package-lock.json says, quietly, with npm's inherited configuration. The
 * script then runs in this very process, so that a SIGTERM to `npm start` always reaches the one process that counts.
 * Without `--dev` the packages that only development needs may be missing, as in an image made with `--omit=dev`.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const packagesIn = (file) => {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return undefined
  }
}

/** By content, not by time: a checkout gives files new times. npm writes its own copy of the lock last. */
const isInstalled = (withDev) => {
  const locked = packagesIn('package-lock.json') ?? {}
  const installed = packagesIn('node_modules/.package-lock.json')
  if (!installed) return false
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return wanted.optional || wanted.devOptional || (wanted.dev && !withDev)
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

const install = (withDev) =>
  new Promise((done) => {
    process.stderr.write('Installing the dependencies (npm ci); this happens once.\n')
    const options = ['ci', '--no-progress', '--loglevel=error', ...(withDev ? ['--include=dev'] : [])]
    const npm = process.env.npm_execpath
    const child = spawn(npm ? process.execPath : 'npm', npm ? [npm, ...options] : options, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that what npm runs ends with it
    })
    const said = []
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stderr.on('data', (chunk) => said.push(chunk))
    const pass = (signal) => child.pid && process.kill(-child.pid, signal)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, pass)
    const finish = (code, signal) => {
      for (const name of signals) process.off(name, pass)
      if (code !== 0) process.stderr.write(Buffer.concat(said))
      done(signal ? 128 + constants.signals[signal] : code)
    }
    child.on('error', (error) => {
      said.push(Buffer.from(`npm ci could not be run: ${error.message}\n`))
      finish(1)
    })
    child.on('close', finish)
  })

const words = process.argv.slice(2)
const withDev = words[0] === '--dev'
if (withDev) words.shift()

const failed = isInstalled(withDev) ? 0 : await install(withDev)
if (failed) process.exit(failed)

if (words.length > 0) {
  const [script, ...rest] = words
  process.argv = [process.execPath, resolve(root, script), ...rest]
  await import(pathToFileURL(process.argv[1]).href)
}
