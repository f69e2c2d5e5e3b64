/** For suites that need a broker: they share one, which starts at its first use. Without Java the suites are skipped. */
import { installKafka } from './install.ts'
import { startKafka, type Broker } from './broker.ts'

let installed: Promise<string | Error> | undefined
let started: Promise<Broker> | undefined

/**
 * Skips the enclosing suites with a message if no broker is available, or fails where everything must run. Call it in a `describe`, before
 * anything that uses a broker.
 */
export const needsKafka = (): void => {
  before(async function () {
    this.timeout(330_000)
    const had = installed !== undefined
    const jars = await (installed ??= installKafka().catch((error: Error) => error))
    if (typeof jars === 'string') return
    if (process.env.REQUIRE_ALL === '1') throw jars
    if (!had)
      console.log(`    no Kafka broker here (Java and Maven get one), so its tests are left out: ${jars.message}`)
    this.skip()
  })
}

/**
 * The broker that suites share. It ends with this process. Use a separate topic. It runs, even if a suite before has failed while it was stopped
 * or frozen.
 */
export const sharedKafka = async (): Promise<Broker> => {
  const broker = await (started ??= startKafka())
  broker.thaw()
  await broker.start()
  return broker
}
