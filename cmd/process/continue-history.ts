// Tests: tests/chaos/store-went-back.test.ts
/**
 * Compares the store at a start with everything that remembers it: the process that ran here before, the read models, the
 * other readers of the store, and the Kafka topic. If it lacks events that they know, it went back in time: `store.went_back` in the log and an alert say
 * what is missing. The readers themselves begin again where they find their position missing.
 */
import type { KafkaSettings } from '../../adapters/log/kafka/client.ts'
import { newestIds, NO_IDS, type IdsOnTopic } from '../../adapters/log/kafka/newest-ids.ts'
import { forgetOffsets } from '../../adapters/log/offset.ts'
import { highestId, newestTransactions } from '../../adapters/postgres/ops/known-transactions.ts'
import { forgetProgress } from '../../adapters/postgres/ops/read-model-progress.ts'
import { readersOfStore } from '../../adapters/postgres/ops/migrated-positions.ts'
import type { Database } from '../../adapters/database/database.ts'
import type { StoreMemory } from '../../adapters/system/store-memory.ts'
import type { Checkpoint, Clock, EventStore, LogLines } from '../../domain/ports.ts'
import { highestReserved, openIds, type OpenIds } from '../../adapters/system/ids.ts'
import { within } from '../../adapters/system/within.ts'
import { projectors } from '../../projections/all.ts'
import { hasExpired, readCheckpoint } from '../../projections/engine/checkpoint.ts'
import { alertOperator, missingTransactions, rangesOf } from '../../workflows/lost-history.ts'
import { isPositionIn, type StorePosition } from '../../workflows/support/store-position.ts'
import type { Settings } from '../settings/settings.ts'

interface Parts {
  settings: Settings
  store: EventStore
  database: Database
  clock: Clock
  log: LogLines
  /** null if nothing is remembered */
  before: StoreMemory | null
  /** null without Kafka */
  topic: KafkaSettings | null
}

/** Ids in one read of the read models. So many in a row that the store has mean that it has the older ones too. */
const LOOKED_AT_ONCE = 1_000

/** Milliseconds that a start waits for the topic. */
const TOPIC_WITHIN = 3_000
/** An id on the topic that is further above those of the store cannot be one of ours. */
const MOST_AHEAD = 1_000_000_000

/** @returns the ids of this installation, which continue above all that are known to have been used */
export const continueHistory = async (parts: Parts): Promise<OpenIds> => {
  const { settings, store, database, clock, log, before } = parts
  const positions = await positionsOf(parts)
  // A position of another store, before a migration, proves no loss.
  const isThere = async ({ position }: Known) =>
    (await isPositionIn(store, position)) !== false || mayHaveExpired(parts, position)
  const lost = (await Promise.all(positions.map(async (known) => ((await isThere(known)) ? [] : [known])))).flat()
  // Everything else may have been restored together with the store.
  const onTopic = await idsOnTopic(parts)
  const isAboveStore = onTopic.highest > (await highestReserved(store))
  const isAfterLoss = lost.length > 0 || isAboveStore
  const above = Math.max(before?.ids ?? 0, onTopic.highest, isAfterLoss ? await highestId(database) : 0)
  const ids = openIds({ store, clock, skip: settings.idSkip, above, isAfterLoss })
  if (!isAfterLoss) return ids

  const missing = await findMissing(parts, onTopic)
  const noticedBy = [...lost.map(({ by }) => by), ...(isAboveStore ? ['topic'] : [])]
  const end = await store.end()
  log.error(
    { noticed_by: noticedBy, missing_transactions: missing.length, ids: rangesOf(missing), newest_known: newestOf(store, lost), end },
    'store.went_back',
  ) // prettier-ignore
  await forgetOffsets(database)
  await forgetProgress(database)
  // If several processes notice the same loss, only the first one leaves out ids.
  await ids.next(1)
  if (ids.hasLeapt()) await alertOperator({ store, clock, ids }, missing)
  return ids
}

interface Known {
  by: string
  position: StorePosition
}

const positionsOf = async ({ settings, database, before }: Parts): Promise<Known[]> => {
  const known: Known[] = []
  if (before?.newest) known.push({ by: 'memory', position: before.newest })
  for (const { schema, projector } of projectors(settings)) {
    const anchor = (await readCheckpoint(database, schema, projector))?.anchor
    if (anchor) known.push({ by: projector, position: anchor })
  }
  const readers = Object.entries(await readersOfStore(database))
  return [...known, ...readers.map(([by, position]) => ({ by, position }))]
}

/** The newest event of an installation that was idle may have expired since. */
const mayHaveExpired = async ({ settings, store, database }: Parts, position: StorePosition): Promise<boolean> => {
  const [main] = projectors(settings)
  const stored = await readCheckpoint(database, main!.schema, main!.projector)
  const [[found] = []] = await store.read([{ stream: position.stream, from: position.revision, limit: 1 }])
  return found === undefined && hasExpired(store, position, stored?.age ?? null, main!)
}

const newestOf = (store: EventStore, lost: readonly Known[]): Checkpoint | null =>
  lost
    .map(({ position }) => position.checkpoint)
    .reduce<Checkpoint | null>((a, b) => (a === null || store.isAfter(b, a) ? b : a), null)

/** Without an answer in time, the start goes on: the other memories count, and `ID_SKIP`. */
const idsOnTopic = async ({ topic, store, log }: Parts): Promise<IdsOnTopic> => {
  if (topic === null) return NO_IDS
  try {
    const late = () => new Error(`no answer within ${TOPIC_WITHIN} ms`)
    const [ids, reserved] = [await within(TOPIC_WITHIN, newestIds(topic), late), await highestReserved(store)]
    return ids.highest > reserved + MOST_AHEAD ? NO_IDS : ids
  } catch (error) {
    log.warn({ topic: topic.topic, reason: (error as Error).message }, 'topic.ids_unknown')
    return NO_IDS
  }
}

const findMissing = async ({ store, database, before }: Parts, onTopic: IdsOnTopic): Promise<number[]> => {
  const missing = new Set(await missingTransactions(store, [...(before?.transactions ?? []), ...onTopic.transactions]))
  for (let below: number | null = null; ;) {
    const some = await newestTransactions(database, below, LOOKED_AT_ONCE)
    const gone = await missingTransactions(store, some)
    for (const id of gone) missing.add(id)
    below = some.at(-1) ?? 0
    if (gone.length === 0) return [...missing].toSorted((a, b) => a - b)
  }
}
