/**
 * The log that feeds delivery, as the settings say: the store's own subscription, or a Kafka topic. The topic needs a relay that
 * fills it from the store; any number of processes may offer to be it, and one is.
 */
import type { LogLines } from '../adapters/log-lines.ts'
import { openEmbeddedLog } from '../adapters/log/embedded.ts'
import { openKafkaLog } from '../adapters/log/kafka.ts'
import type { KafkaSettings } from '../adapters/log/kafka/client.ts'
import { openKafkaPublisher } from '../adapters/log/kafka/publisher.ts'
import { openRelayCheckpoint } from '../adapters/postgres/relay-checkpoint.ts'
import type { Log } from '../domain/ports.ts'
import { runRelay } from '../workflows/relay/relay.ts'
import type { Installation } from './installation.ts'
import type { Settings } from './settings.ts'

type LogParts = Pick<Installation, 'settings' | 'store' | 'database' | 'log'>

/** null where the log is the store's own subscription */
export const kafkaOf = ({ kafkaBrokers, kafkaTopic, kafkaSsl, kafkaSasl }: Settings): KafkaSettings | null =>
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

/** What this process relays when it is its turn; null without Kafka. */
export const openRelay = ({
  settings,
  store,
  database,
  log,
  onlyOne,
}: LogParts & Pick<Installation, 'onlyOne'>): { run(signal: AbortSignal): Promise<void> } | null => {
  const kafka = kafkaOf(settings)
  if (!kafka) return null
  const onTrouble = telling(log, 'relay.trouble')
  return {
    run: (signal) =>
      runRelay(
        {
          store,
          publisher: openKafkaPublisher({ ...kafka, source: settings.baseUrl, onTrouble }),
          checkpoint: openRelayCheckpoint(database, kafka.topic),
          lease: onlyOne(`relay ${kafka.topic}`),
          log,
        },
        signal,
      ),
  }
}
