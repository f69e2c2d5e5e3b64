/**
 * The log that feeds delivery, as the settings say: the store's own subscription, or a Kafka topic. The topic needs a relay that
 * fills it from the store; any number of processes may offer to be it, and one is.
 */
import type { LogLines } from '../../adapters/telemetry/log-lines.ts'
import { openEmbeddedLog } from '../../adapters/log/embedded.ts'
import { openKafkaLog } from '../../adapters/log/kafka.ts'
import { openKafkaPublisher } from '../../adapters/log/kafka/publisher.ts'
import { openRelayCheckpoint } from '../../adapters/postgres/ops/relay-checkpoint.ts'
import type { Log } from '../../domain/ports.ts'
import { runRelay, type RelayProgress } from '../../workflows/relay/relay.ts'
import type { Installation } from './installation.ts'
import type { Topic } from './open-topic.ts'

const telling =
  (log: LogLines, what: string) =>
  (error: unknown): void =>
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, what)

/**
 * What this process delivers from. It waits for servers that are away, and says so.
 * @returns the log, and whether it works; the embedded one does where the store does
 */
export const openLog = ({
  topic,
  store,
  database,
  log,
}: Pick<Installation, 'topic' | 'store' | 'database' | 'log'>): Log & { check: () => Promise<unknown> } => {
  const onTrouble = telling(log, 'log.trouble')
  if (topic) return openKafkaLog({ ...topic.settings, onTrouble })
  return { ...openEmbeddedLog({ store, database, onTrouble }), check: () => store.end() }
}

/** Relays to the topic when it is this process's turn, until the signal aborts. */
export const relayTo = (
  { settings: kafka }: Topic,
  { settings, store, database, log, onlyOne }: Installation,
  progress: RelayProgress,
  signal: AbortSignal,
): Promise<void> =>
  runRelay(
    {
      store,
      publisher: openKafkaPublisher({ ...kafka, source: settings.baseUrl, onTrouble: telling(log, 'relay.trouble') }),
      checkpoint: openRelayCheckpoint(database, kafka.topic),
      lease: onlyOne(`relay ${kafka.topic}`),
      log,
      progress,
    },
    signal,
  )
