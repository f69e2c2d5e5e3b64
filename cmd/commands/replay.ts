// Tests: tests/integration/projections/replay-command.test.ts
/** `baoco replay`: rebuilds the read models beside the live ones and swaps them. With `--verify` it only compares them. */
import type { Command } from 'commander'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { isLeased } from '../../adapters/database/lease.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import type { BuilderOptions, Progress } from '../../projections/engine/builder.ts'
import { projectors } from '../../projections/all.ts'
import type { Definition } from '../../projections/engine/definition.ts'
import { areStandingStill, longestPause } from '../../projections/engine/standing-still.ts'
import { replay as replayReadModels, verify } from '../../projections/engine/replay.ts'
import type { Difference } from '../../projections/engine/differences.ts'
import { recognise } from '../process/recognise-installation.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { TAKEOVER_MS } from '../command-parts/with-lists.ts'
import { withStore } from '../command-parts/with-store.ts'
import { nowAndThen } from '../command-parts/progress.ts'

export const replay = (program: Command): void => {
  program
    .command('replay')
    .description('rebuild the read models from the first event, then replace the live ones')
    .option(
      '--verify',
      'only compare the rebuilt rows with the live ones; exit with 1 if they differ, or if the live ones do not advance',
    )
    .action(({ verify: only = false }: { verify?: boolean }) => forEachDefinition(only ? verifying : replaying))
}

const forEachDefinition = (work: (options: BuilderOptions) => Promise<void>): Promise<void> => {
  const signal = stopSignal()
  return withStore(async ({ settings, database, store }) => {
    const tables = openReadModelTables(database)
    try {
      await recognise({ settings, store, database, clock })
      for (const definition of projectors(settings))
        await work({ store, tables, definition, signal, onProgress: teller(definition) })
    } finally {
      await tables.close()
    }
  })
}

const replaying = async (options: BuilderOptions): Promise<void> => {
  const progress = await replayReadModels(options)
  console.log(`${summaryOf(options.definition, progress)}; these read models are now live`)
}

const verifying = async (options: BuilderOptions): Promise<void> => {
  const { progress, incomparable, differences } = await verify(options)
  const { definition } = options
  if (incomparable !== null)
    console.log(`${definition.projector}: the read models cannot be compared: ${incomparable}.`)
  else if (differences.length === 0)
    console.log(`${summaryOf(definition, progress)}; every row matches the rebuilt one`)
  else console.log([`${summaryOf(definition, progress)}; rows differ:`, ...differences.flatMap(linesOf)].join('\n'))
  const { tables, store } = options
  const isProjected = await isLeased(tables, `projector ${definition.projector}`)
  const within = isProjected ? longestPause(definition) : TAKEOVER_MS
  const isStanding = incomparable === null && (await areStandingStill(tables, store, definition, within))
  const erased = differences.length > 0 ? ': rows of events that were erased meanwhile differ until they do' : ''
  if (isStanding) console.log(`${definition.projector}: events wait, and the live read models do not advance${erased}`)
  if (incomparable !== null || differences.length > 0 || isStanding) process.exitCode = 1
}

const teller = (definition: Definition) =>
  nowAndThen((progress: Progress) => console.log(`${summaryOf(definition, progress)}, up to ${progress.at}`))

const summaryOf = ({ projector }: Definition, { events, seconds }: Progress): string =>
  `${projector}: ${events} events in ${seconds.toFixed(1)} s (${Math.round(events / Math.max(seconds, 0.001))}/s)`

const linesOf = ({ table, rows, examples, settings }: Difference): string[] => [
  `  ${table}: ${rows} ${rows === 1 ? 'row' : 'rows'}`,
  ...examples.map(({ key, columns, only_in }) => {
    const name = Object.entries(key)
      .map(([column, value]) => `${column} ${String(value)}`)
      .join(', ')
    return `    ${name}: ${only_in ? `only in the ${only_in} ones` : `differs in ${columns?.join(', ')}`}`
  }),
  ...(rows > examples.length ? [`    and ${rows - examples.length} more`] : []),
  ...settings.map(
    (setting) =>
      `    A change of ${setting} can cause this: rows keep its earlier value until "baoco replay" rebuilds them.`,
  ),
]
