/**
 * A process that relays until it is killed.
 *
 * relaying-child.ts <database url> <KafkaSettings as JSON> <milliseconds a lease lasts>
 *
 * It sends its log lines to its parent process.
 */
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import type { KafkaSettings } from '../../../adapters/log/kafka/client.ts'
import { openKafkaPublisher } from '../../../adapters/log/kafka/publisher.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openLease } from '../../../adapters/database/lease.ts'
import { openRelayCheckpoint } from '../../../adapters/postgres/ops/relay-checkpoint.ts'
import { runRelay } from '../../../workflows/relay/relay.ts'

const [, , url = '', settings = '', lasts] = process.argv
const kafka = JSON.parse(settings) as KafkaSettings
const database = openDatabase(url)
const tell = (_fields: object, what: string) => void process.send!(what)
await runRelay(
  {
    store: await openPostgresEventStore({ url, parse: parseEvent }),
    publisher: openKafkaPublisher({ ...kafka, source: 'https://pay.example.vn' }),
    checkpoint: openRelayCheckpoint(database, kafka.topic),
    lease: openLease({
      database,
      name: `relay ${kafka.topic}`,
      ...(lasts && { lasts: Number(lasts), lookEvery: Number(lasts) / 4 }),
    }),
    log: { info: tell, warn: tell },
  },
  new AbortController().signal,
)
