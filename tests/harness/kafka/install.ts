/**
 * Downloads a Kafka broker for the tests with Maven, once, into a cache folder outside the repository.
 *
 * Needs Java and Maven. Without them, the tests that need a broker are skipped. `TEST_KAFKA_VERSION` selects another version than the one
 * pinned here.
 */
import { jarsOf } from '../cache.ts'

/** The suites pass with 4.1.0 too. */
const VERSION = '3.9.1'

/** @returns the folder with the broker's jars and their dependencies */
export const installKafka = (): Promise<string> =>
  jarsOf('kafka', new URL('pom.xml', import.meta.url), process.env.TEST_KAFKA_VERSION || VERSION)

/** Installs it, and makes the archive with which a broker starts quickly. */
export const prepareKafka = async (): Promise<void> => {
  await installKafka()
  const { makeClassArchive } = await import('./broker.ts')
  await makeClassArchive()
}
