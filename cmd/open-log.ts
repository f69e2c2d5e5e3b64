/**
 * The log that feeds delivery, as the settings say: the store's own subscription, or a Kafka topic. The topic needs a relay that
 * fills it from the store; any number of processes may offer to be it, and one is.
 */
import type { LogLines } from '../adapters/log-lines.ts'
import { openEmbeddedLog } from '../adapters/log/embedded.ts'
import { openKafkaLog } from '../adapters/log/kafka.ts'
import type { KafkaSettings } from '../adapters/log/kafka/client.ts'
import { openKafkaPublisher } from '../adapters/log/kafka/publisher.ts'
import type { Database } from '../adapters/postgres/database.ts'
import { openLease } from '../adapters/postgres/lease.ts'
import { openRelayCheckpoint } from '../adapters/postgres/relay-checkpoint.ts'
import type { EventStore, Log } from '../domain/ports.ts'
import { runRelay } from '../workflows/relay/relay.ts'
import type { Settings } from './settings.ts'

export interface LogParts {
  settings: Settings
  store: EventStore
  database: Database
  log: LogLines
}

const kafkaOf = ({ kafkaBrokers, kafkaTopic, kafkaSsl, kafkaSasl }: Settings): KafkaSettings | null =>
  kafkaBrokers
    ? { brokers: kafkaBrokers, topic: kafkaTopic, ssl: kafkaSsl, ...(kafkaSasl && { sasl: kafkaSasl }) }
    : null

const telling =
  (log: LogLines, what: string) =>
  (error: unknown): void =>
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, what)

/**
 * What this process delivers from. It waits for servers that are away, and says so.
 * @returns the log, and whether it works; the embedded one does where the store does
 */
export const openLog = ({ settings, store, database, log }: LogParts): Log & { check: () => Promise<unknown> } => {
  const kafka = kafkaOf(settings)
  const onTrouble = telling(log, 'log.trouble')
  if (kafka) return openKafkaLog({ ...kafka, onTrouble })
  return { ...openEmbeddedLog({ store, database, onTrouble }), check: () => store.end() }
}

/** Relays while this process is the one of all that does, until the signal aborts; returns at once without Kafka. */
export const relay = async ({ settings, store, database, log }: LogParts, signal: AbortSignal): Promise<void> => {
  const kafka = kafkaOf(settings)
  if (!kafka) return
  const onTrouble = telling(log, 'relay.trouble')
  await runRelay(
    {
      store,
      publisher: openKafkaPublisher({ ...kafka, source: settings.baseUrl, onTrouble }),
      checkpoint: openRelayCheckpoint(database, kafka.topic),
      lease: openLease({ database, name: `relay ${kafka.topic}`, onTrouble }),
      log,
    },
    signal,
  )
}
