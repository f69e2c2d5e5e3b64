// Tests: tests/integration/kafka/serve.test.ts
/**
 * Opens the log that feeds delivery, as the settings select: the store's own subscription, or a Kafka topic. The topic needs a relay that
 * fills it from the store. Any number of processes can run the relay; one is active.
 */
import { openEmbeddedLog } from '../../adapters/log/embedded.ts'
import type { KafkaSettings } from '../../adapters/log/kafka/client.ts'
import { openKafkaLog } from '../../adapters/log/kafka.ts'
import { openKafkaPublisher } from '../../adapters/log/kafka/publisher.ts'
import { openRelayCheckpoint } from '../../adapters/postgres/ops/relay-checkpoint.ts'
import type { Log, LogLines } from '../../domain/ports.ts'
import { runRelay, type Publisher, type RelayProgress } from '../../workflows/relay/relay.ts'
import type { Installation } from './installation.ts'
import { askStore } from './open-event-store.ts'
import type { Topic } from './open-topic.ts'
import type { Settings } from '../settings/settings.ts'

const reportsTo = (log: LogLines) => ({
  onFailure: (error: unknown): void =>
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'log.trouble'),
  onLeftOut: (reason: string): void => log.warn({ reason }, 'log.left_out'),
})

/**
 * Opens the log from which this process delivers. It waits for servers that are unavailable and logs that.
 * @returns the log and its health check; the embedded log is healthy if the store is
 */
export const openLog = ({
  topic,
  store,
  database,
  log,
}: Pick<Installation, 'topic' | 'store' | 'database' | 'log'>): Log & { check: () => Promise<unknown> } => {
  const reports = reportsTo(log)
  if (topic) return openKafkaLog({ ...topic.settings, ...reports, isAfter: (a, b) => store.isAfter(a, b) })
  return { ...openEmbeddedLog({ store, database, ...reports }), check: () => askStore(store) }
}

/** Name of the lease under which one process relays to a topic. */
export const relayLeaseOf = (topic: string): string => `relay ${topic}`

export const publisherTo = (
  kafka: KafkaSettings,
  { baseUrl, kafkaPersonalData }: Pick<Settings, 'baseUrl' | 'kafkaPersonalData'>,
  log: LogLines,
): Publisher =>
  openKafkaPublisher({
    ...kafka,
    source: baseUrl,
    personalData: kafkaPersonalData,
    onLeftOut: reportsTo(log).onLeftOut,
  })

/** Relays to the topic while this process holds the lease, until the signal aborts. */
export const relayTo = (
  { settings: kafka }: Topic,
  { settings, store, database, log, onlyOne }: Installation,
  progress: RelayProgress,
  signal: AbortSignal,
): Promise<void> =>
  runRelay(
    {
      store,
      publisher: publisherTo(kafka, settings, log),
      checkpoint: openRelayCheckpoint(database, kafka.topic),
      lease: onlyOne(relayLeaseOf(kafka.topic)),
      log,
      progress,
    },
    signal,
  )
