/** Which servers a benchmark's Baoco stands on: `SETUP` in the environment, `embedded` where it is not set. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sharedKafka, stopSharedKafka } from '../../tests/support/kafka/needs-kafka.ts'
import { givenOrOwnEventStore } from '../../tests/support/eventstoredb/given-or-own.ts'

const SETUPS = ['embedded', 'eventstoredb', 'kafka', 'both'] as const

export interface Servers {
  setup: (typeof SETUPS)[number]
  /** Settings that name them. */
  env: Record<string, string>
  close(): Promise<void>
}

/** Of EventStoreDB the tests' stand-in, unless `EVENTSTORE_URL` names a server; of Kafka a real broker. */
export const openServers = async (wanted = process.env.SETUP ?? 'embedded'): Promise<Servers> => {
  const setup = SETUPS.find((name) => name === wanted)
  if (!setup) throw new Error(`SETUP is one of ${SETUPS.join(', ')}`)
  const env: Record<string, string> = {}
  const closing: (() => Promise<unknown>)[] = []
  if (setup === 'eventstoredb' || setup === 'both') {
    const { url, prefix, close } = await givenOrOwnEventStore()
    const secret = (): string => randomBytes(32).toString('hex')
    Object.assign(env, { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, JWT_SECRET: secret(), VAULT_KEY: secret() })
    closing.push(close)
  }
  if (setup === 'kafka' || setup === 'both') {
    const { address } = await sharedKafka()
    Object.assign(env, { KAFKA_BROKERS: address, KAFKA_TOPIC: `bench.${randomUUID()}` })
    closing.push(stopSharedKafka)
  }
  return { setup, env, close: async () => void (await Promise.all(closing.map((close) => close()))) }
}
