/** For suites that need a broker: one for all of them, started at the first use; without Java they are left out. */
import { installKafka } from './install.ts'
import { startKafka, type Broker } from './broker.ts'

let installed: Promise<string | Error> | undefined
let started: Promise<Broker> | undefined

/**
 * Leaves the suites around it out where no broker can be had, and says so; an error where everything must run.
 * To be called in a `describe`, before anything that asks for a broker.
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

/** The broker that suites share; nobody stops it, it ends with this process. Take a topic of your own. */
export const sharedKafka = (): Promise<Broker> => (started ??= startKafka())
