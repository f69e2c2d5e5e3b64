/**
 * Downloads a Kafka broker for the tests with Maven, once, into a cache folder outside the repository.
 *
 * node --import tsx tests/harness/kafka/install.ts
 *
 * Needs Java and Maven. Without them, the tests that need a broker are skipped. `TEST_KAFKA_VERSION` selects another version than the one
 * pinned here.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** The suites pass with 4.1.0 too. */
const VERSION = '3.9.1'

const POM = fileURLToPath(new URL('pom.xml', import.meta.url))
const LONGEST_MS = 300_000

/** @returns the folder with the broker's jars and their dependencies */
export const installKafka = async (): Promise<string> => {
  const version = process.env.TEST_KAFKA_VERSION || VERSION
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baoco-tests')
  const folder = join(cache, `kafka-${version}`)
  await execute('java', ['-version'])
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  // Download to another folder first, because an interrupted download must not look complete.
  const arriving = await mkdtemp(join(cache, 'arriving-'))
  try {
    const properties = [`-Dkafka.version=${version}`, `-DoutputDirectory=${arriving}`, '-DincludeScope=runtime']
    await execute('mvn', ['-q', '-B', '-f', POM, 'dependency:copy-dependencies', ...properties], {
      timeout: LONGEST_MS,
    })
    await rename(arriving, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return folder
}

const run = async (): Promise<void> => {
  console.log(await installKafka())
  const { makeClassArchive } = await import('./broker.ts')
  await makeClassArchive()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void run()
