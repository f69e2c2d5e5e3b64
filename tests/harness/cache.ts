/** Programs for the tests, each downloaded once into a cache folder outside the repository. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export const LONGEST_DOWNLOAD_MS = 300_000

/**
 * Fills a folder of the cache, unless it exists.
 * @param fill  is given another folder first, because an interrupted download must not look complete
 * @returns its path
 */
export const onceInCache = async (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baoco-tests')
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const arriving = await mkdtemp(join(cache, 'arriving-'))
  try {
    await fill(arriving)
    await rename(arriving, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return folder
}

/**
 * Downloads jars and their dependencies with Maven. Needs Java and Maven.
 * @param pom  names the jars, in the version `jars.version`
 * @returns the folder with the jars
 */
export const jarsOf = async (name: string, pom: URL, version: string): Promise<string> => {
  await execute('java', ['-version'])
  const args = ['-q', '-B', '-f', fileURLToPath(pom), 'dependency:copy-dependencies', `-Djars.version=${version}`]
  return onceInCache(`${name}-${version}`, (folder) =>
    execute('mvn', [...args, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'], {
      timeout: LONGEST_DOWNLOAD_MS,
    }),
  )
}
