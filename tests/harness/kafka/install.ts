/**
 * Downloads a Kafka broker for the tests with Maven, once, into a cache folder outside the repository.
 *
 * node --import tsx tests/harness/kafka/install.ts
 *
 * Needs Java and Maven. Without them, the tests that need a broker are skipped. `TEST_KAFKA_VERSION` selects another version than the one
 * pinned here.
 */
import { fileURLToPath } from 'node:url'
import { jarsOf } from '../cache.ts'

/** The suites pass with 4.1.0 too. */
const VERSION = '3.9.1'

/** @returns the folder with the broker's jars and their dependencies */
export const installKafka = (): Promise<string> =>
  jarsOf('kafka', new URL('pom.xml', import.meta.url), process.env.TEST_KAFKA_VERSION || VERSION)

const run = async (): Promise<void> => {
  console.log(await installKafka())
  const { makeClassArchive } = await import('./broker.ts')
  await makeClassArchive()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void run()
