/**
 * Gets a Kafka broker for the tests by Maven, once, into a cache folder outside the repository.
 *
 *     node --import tsx tests/harness/kafka/install.ts
 *
 * Needs Java and Maven; where they are missing the tests that need a broker are left out. `TEST_KAFKA_VERSION` names another
 * version than the one that is pinned here.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The suites pass with 4.1.0 too. */
const VERSION = '3.9.1'

const POM = fileURLToPath(new URL('pom.xml', import.meta.url))
const LONGEST_MS = 300_000

/** @returns the folder with the broker's jars, and whatever they need */
export const installKafka = async (): Promise<string> => {
  const version = process.env.TEST_KAFKA_VERSION || VERSION
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baoco-tests')
  const folder = join(cache, `kafka-${version}`)
  await run('java', ['-version'])
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  // Into a folder of its own first: what is cut off in the middle must not look like a whole.
  const arriving = await mkdtemp(join(cache, 'arriving-'))
  try {
    const properties = [`-Dkafka.version=${version}`, `-DoutputDirectory=${arriving}`, '-DincludeScope=runtime']
    await run('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', ...properties], { timeout: LONGEST_MS })
    await rename(arriving, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void installKafka().then(console.log)
