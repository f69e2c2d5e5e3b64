/**
 * Sets up a clone, then runs a script: `node cmd/setup.mjs [--dev] [script arguments…]`.
 *
 * If node_modules differs from package-lock.json, it runs `npm ci` with npm's own configuration, and prints its output only if it fails. Then
 * it builds the bundle. The script runs in this process, so that a SIGTERM to `npm start` reaches it. Without `--dev`, the packages for
 * development may be missing, as in an image made with `--omit=dev`.
 *
 * Without a network, npm tries for minutes. So it is first asked whether it reaches its registry, and if not, it installs from its cache.
 */
import './node-version.mjs'
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

/** Compares contents, not times, because a checkout sets new times. npm writes its own copy of the lock file last. */
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

/** Runs npm. Resolves with its exit status and its output. */
const npm = (...words) =>
  new Promise((done) => {
    const path = process.env.npm_execpath
    const child = spawn(path ? process.execPath : 'npm', path ? [path, ...words] : words, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // Its own process group, so that the processes of npm end with it.
    })
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    const pass = (signal) => child.pid && process.kill(-child.pid, signal)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, pass)
    const finish = (code, signal) => {
      for (const name of signals) process.off(name, pass)
      done({ status: signal ? 128 + constants.signals[signal] : code, signal, output: Buffer.concat(output) })
    }
    child.on('error', (error) => {
      output.push(Buffer.from(`npm could not be run: ${error.message}\n`))
      finish(1)
    })
    child.on('close', finish)
  })

/** npm's codes for a network that is down, a name that is not found and a server that does not answer. Others come from a server. */
const NO_NETWORK =
  /code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|E\w*TIMEDOUT|ERR_SOCKET_TIMEOUT|ECONNRESET)|network timeout/

const install = async (withDev) => {
  process.stderr.write('Installing the dependencies (npm ci); this happens once.\n')
  const asked = await npm('ping', '--fetch-retries=0', '--fetch-timeout=5000')
  if (asked.signal) return asked.status
  const isOffline = asked.status !== 0 && NO_NETWORK.test(asked.output)
  const options = ['--no-progress', '--loglevel=error', ...(withDev ? ['--include=dev'] : [])]
  const { status, output } = await npm('ci', ...options, ...(isOffline ? ['--offline'] : []))
  if (status !== 0 && isOffline)
    process.stderr.write(
      'The packages cannot be downloaded, because npm cannot reach its registry. Check the network.\n',
    )
  else if (status !== 0) process.stderr.write(output)
  return status
}

const given = process.argv.slice(2)
const withDev = given[0] === '--dev'
if (withDev) given.shift()

const failed = isInstalled(withDev) ? 0 : await install(withDev)
if (failed) process.exit(failed)
await (await import('./build.mjs')).bundled()

if (given.length > 0) {
  const [script, ...rest] = given
  process.argv = [process.execPath, resolve(root, script), ...rest]
  await import(pathToFileURL(process.argv[1]).href)
}
