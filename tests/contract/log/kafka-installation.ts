/** A store whose transactions a relay sends to its own topic, for the log contract. */
import { randomUUID } from 'node:crypto'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openKafkaPublisher } from '../../../adapters/log/kafka/publisher.ts'
import { silent } from '../../../adapters/telemetry/log-lines.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openLease } from '../../../adapters/database/lease.ts'
import { openRelayCheckpoint } from '../../../adapters/postgres/ops/relay-checkpoint.ts'
import { runRelay } from '../../../workflows/relay/relay.ts'
import { freshDatabase } from '../../harness/postgres.ts'

const SOURCE = 'https://pay.example.vn'

/** @param address  the broker's address */
export const openKafkaInstallation = async (address: string) => {
  const test = await freshDatabase()
  const store = await openPostgresEventStore({ url: test.url, parse: parseEvent })
  const database = openDatabase(test.url)
  const kafka = { brokers: [address], topic: `test.${randomUUID()}`, installation: randomUUID() }
  const relays = new Set<() => Promise<void>>()
  return {
    url: test.url,
    store,
    database,
    kafka,
    /** @returns a function that stops it */
    relay: () => {
      const stop = new AbortController()
      const publisher = openKafkaPublisher({ ...kafka, source: SOURCE })
      const lease = openLease({ database, name: `relay ${kafka.topic}`, lookEvery: 100 })
      const checkpoint = openRelayCheckpoint(database, kafka.topic)
      const running = runRelay({ store, publisher, checkpoint, lease, log: silent }, stop.signal)
      const stopRelay = async (): Promise<void> => {
        relays.delete(stopRelay)
        stop.abort()
        await running
      }
      relays.add(stopRelay)
      return stopRelay
    },
    close: async () => {
      await Promise.all([...relays].map((stop) => stop()))
      await store.close()
      await database.close()
      await test.drop()
    },
  }
}

export type KafkaInstallation = Awaited<ReturnType<typeof openKafkaInstallation>>
