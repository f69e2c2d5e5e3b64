// Tests: tests/integration/parked/commands.test.ts
/** `baoco parked`: lists events that cannot be used, and retries or skips them. */
import type { Command } from 'commander'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { isLeased } from '../../adapters/database/lease.ts'
import { followReadModels } from '../../adapters/postgres/ops/read-model-progress.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { openPutOffReactions } from '../../adapters/postgres/ops/put-off-reactions.ts'
import { REFUSED, type ParkedEvent } from '../../domain/parked/events.ts'
import { asStored, isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { projectors } from '../../projections/all.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { progressOf } from '../../projections/engine/lag.ts'
import { parkedStreams } from '../../projections/parked/queries.ts'
import type { ParkedStream } from '../../projections/engine/parked-table.ts'
import { retryEvent, skipEvent } from '../../workflows/parked/resolve.ts'
import { withStore } from '../command-parts/with-store.ts'
import type { Surroundings } from '../command-parts/with-database.ts'
import { counted } from '../command-parts/counted.ts'

type Around = Surroundings & { store: EventStore }

/** Queries work even if no process has ever projected. */
const withReadModels = (work: (around: Around) => Promise<void>): Promise<void> =>
  withStore(async (around) => {
    const tables = openReadModelTables(around.database)
    for (const definition of projectors(around.settings)) await createSchema(tables, definition)
    await work(around)
  })

/** A parked stream, and the projectors that have parked it. */
type Parked = ParkedStream & { projectors: string[] }

/** How long the command waits for running projectors: milliseconds. */
const PATIENCE_MS = 15_000

export const parked = (program: Command): void => {
  const group = program
    .command('parked')
    .description('list, retry or skip events that cannot be used; the rest of their streams waits')

  group
    .command('list')
    .description('print one line per parked stream')
    .action(() =>
      withReadModels(async (around) => {
        for (const row of await listOf(around)) console.log(lineOf(row))
        const waiting = await openPutOffReactions(around.database).all()
        if (waiting.length > 0)
          console.log(`${counted(waiting.length, 'reaction')} ${waiting.length === 1 ? 'waits' : 'wait'}`)
      }),
    )

  group
    .command('retry [stream]')
    .description('try parked events again, of one stream or of all, and apply the events that waited for them')
    .action((stream: string | undefined) => withReadModels((around) => retrying(around, stream)))

  group
    .command('skip <stream>')
    .description(
      'ignore the event that parks a stream, everywhere and for good, and apply the events that waited for it',
    )
    .requiredOption('--yes', 'confirm that the event is ignored for good')
    .action((stream: string) => withReadModels((around) => skipping(around, stream)))
}

const lineOf = ({ stream, revision, type, reason, detail, since, projectors: names }: Parked): string =>
  [`${stream}@${revision}`, type, reason, since ?? 'no time', names.join('+'), detail].join('  ')

const listOf = async ({ database, settings }: Around): Promise<Parked[]> => {
  const byEvent = new Map<string, Parked>()
  for (const definition of projectors(settings))
    for (const row of await parkedStreams(database, definition)) {
      const event = `${row.stream}@${row.revision}`
      const known = byEvent.get(event)
      if (known) known.projectors.push(definition.projector)
      else byEvent.set(event, { ...row, projectors: [definition.projector] })
    }
  return [...byEvent.values()]
}

const retrying = async (around: Around, stream: string | undefined): Promise<void> => {
  const { store } = around
  const all = (await listOf(around)).filter((row) => stream === undefined || row.stream === stream)
  if (stream !== undefined && all.length === 0)
    throw new Error(`not parked: ${stream} (\`baoco parked list\` prints all)`)
  let last: Checkpoint | null = null
  for (const row of all) {
    const event = await eventOf(store, row)
    if (event && !isReadable(event)) console.log(`${row.stream}@${row.revision}: this release cannot read it`)
    else last = (await retryEvent({ store, clock }, await decisionOn(around, row))) ?? last
  }
  await report(around, last, all)
}

const skipping = async (around: Around, stream: string): Promise<void> => {
  const { store } = around
  const row = (await listOf(around)).find((each) => each.stream === stream) ?? (await firstUnreadable(around, stream))
  if (!row) throw new Error(`not parked: ${stream} (\`baoco parked list\` prints all)`)
  const event = await eventOf(store, row)
  if (event && isReadable(event) && row.reason !== REFUSED)
    throw new Error(`this release can read ${stream}@${row.revision}: run \`baoco parked retry ${stream}\``)
  await report(around, await skipEvent({ store, clock }, await decisionOn(around, row)), [row])
}

const eventOf = async (store: EventStore, { stream, revision }: Parked): Promise<StoredEvent | undefined> => {
  const [[event] = []] = await store.read([{ stream, from: revision, limit: 1 }])
  return event?.revision === revision ? event : undefined
}

/** For streams that no read model is built from, such as deduplication windows. Folds still stop at their events. */
const firstUnreadable = async ({ store }: Around, stream: string): Promise<Parked | undefined> => {
  const [events = []] = await store.read([{ stream }])
  const event = events.find(({ type }) => type === 'Unreadable')
  if (event?.type !== 'Unreadable') return undefined
  const { revision, id: event_id, checkpoint: position, data, metadata } = event
  const { problem: reason, detail } = data
  return {
    stream, revision, event_id, position, type: asStored(event).type, reason, detail, since: metadata.at || null,
    projectors: [],
  } // prettier-ignore
}

/** The decision names the projectors to which it applies: those that have parked the event, or have not reached it. */
const decisionOn = async ({ database, store, settings }: Around, row: Parked): Promise<ParkedEvent> => {
  const { stream, revision, event_id, type, reason, detail, position } = row
  const names: string[] = []
  for (const definition of projectors(settings)) {
    const { passed } = await progressOf(database, definition)
    const isAhead = passed === null || store.isAfter(position, passed)
    if (reason !== REFUSED || row.projectors.includes(definition.projector) || isAhead) names.push(definition.projector)
  }
  return { stream, revision, event_id, type, reason, detail, projectors: names }
}

/** Waits until running projectors have reached the decision, and says what is still parked. */
const report = async (around: Around, decided: Checkpoint | null, rows: readonly Parked[]): Promise<void> => {
  if (decided === null) return console.log('nothing to do')
  const { database, store, settings } = around
  const deadline = performance.now() + PATIENCE_MS
  for (const { projector, schema } of projectors(settings)) {
    if (!(await isLeased(database, `projector ${projector}`)))
      return console.log(`recorded; the read models ${projector} will follow when a process projects them`)
    const progress = followReadModels(database, (a, b) => store.isAfter(a, b), projector, schema)
    if (await progress.passed(decided, Math.max(0, deadline - performance.now()))) continue
    return console.log(`recorded; the read models ${projector} will follow`)
  }
  const streams = new Set(rows.map(({ stream }) => stream))
  const left = (await listOf(around)).filter(({ stream }) => streams.has(stream))
  for (const row of left) console.log(`still parked: ${lineOf(row)}`)
  console.log(`${streams.size - left.length} of ${streams.size} streams are no longer parked`)
  if (left.length > 0) process.exitCode = 1
}
