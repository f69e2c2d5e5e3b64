/**
 * Gets a Kafka broker for the tests by Maven, once, into a cache folder outside the repository.
 *
 *     node --import tsx tests/support/kafka/install.ts
 *
 * Needs Java and Maven; where they are missing the tests that need a broker are left out.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

const POM = fileURLToPath(new URL('pom.xml', import.meta.url))
const LONGEST_MS = 300_000

/** @returns the folder with the broker's jars, and whatever they need */
export const installKafka = async (): Promise<string> => {
  const [, version] =
    /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(await readFile(POM, 'utf8')) ?? []
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'baoco-tests')
  const folder = join(cache, `kafka-${version}`)
  await run('java', ['-version'])
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  // Into a folder of its own first: what is cut off in the middle must not look like a whole.
  const arriving = await mkdtemp(join(cache, 'arriving-'))
  try {
    const options = ['-q', '-B', '-f', POM, `-DoutputDirectory=${arriving}`, '-DincludeScope=runtime']
    await run('mvn', ['dependency:copy-dependencies', ...options], { timeout: LONGEST_MS })
    await rename(arriving, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(arriving, { recursive: true, force: true })
  }
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void installKafka().then(console.log)
