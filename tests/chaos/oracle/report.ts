/**
 * `npm run reliability`: runs every experiment and every cell at full length and writes docs/reliability.md. `-- --short` runs the cells only,
 * with the lengths of the tests, and `-- --only <name>` runs only cells whose name contains it. Both only print the results. With
 * `-- --figures <file>`, the results of the experiments come from a file that an earlier run of them wrote (`FIGURES=<file> REPEAT=full mocha …`).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { figuresIn, type Figures } from '../../harness/figures.ts'
import { embeddedCells, runEmbeddedCell, type EmbeddedResult } from './embedded-cells.ts'
import type { Verdict } from './oracle.ts'
import { FULL, SHORT } from './form.ts'
import { processCells, runProcessCells, sideBySide } from './process-cells.ts'
import { runReceiverCells } from './receiver-cells.ts'
import { FULL_STOCK, runStockPostgresCells, SHORT_STOCK } from './stock-postgres-cells.ts'

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, only: { type: 'string' }, figures: { type: 'string' } },
})
const form = values.short ? SHORT : FULL
const only = values.only
const onPostgres = values.short ? SHORT_STOCK : FULL_STOCK
const inOneProcess = values.short ? { times: 2, perSecond: 5 } : { times: 10, perSecond: 20 }

const began = performance.now()
const minutes = (): number => Math.round((performance.now() - began) / 60_000)
const tell = (what: string): void => console.error(`${minutes()} min: ${what}`)

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

const COLUMNS = ['accepted', 'lost', 'altered', 'out of order', 'duplicated', 'without a claim', 'claims open']

const table = (first: string, results: readonly (Verdict & { cell: string })[]): string =>
  [
    row([first, ...COLUMNS]),
    row(['---', ...COLUMNS.map(() => '---:')]),
    ...results.map(({ cell, accepted, lost, altered, out_of_order, duplicated, explained, claims_open }) =>
      row([cell, accepted, lost, altered, out_of_order, duplicated, duplicated - explained, claims_open]),
    ),
  ].join('\n')

/** The experiments that repeat their faults more often with REPEAT=full. */
const EXPERIMENTS = [
  'chaos/kill-9',
  'chaos/roles',
  'chaos/several',
  'chaos/store-away',
  'chaos/postgres-lost',
  'chaos/store-went-back',
  'chaos/failover',
  'chaos/rolling-upgrade',
  'integration/first-start',
  'integration/capture/large-windows',
  'integration/http/export-memory',
  'integration/kafka/outage',
  'integration/kafka/relay',
  'integration/mail-ingest/collect',
  'integration/mail-ingest/failing',
  'contract/event-store/eventstoredb',
  'contract/event-store/postgres',
  'integration/eventstoredb/shared-server',
  'integration/eventstoredb/start',
]

/** Runs the experiments. @returns their figures; null if one failed */
const runExperiments = async (): Promise<Figures[] | null> => {
  if (values.figures !== undefined) return figuresIn(values.figures)
  const folder = await mkdtemp(join(tmpdir(), 'baoco-reliability-'))
  try {
    const env = { ...process.env, REPEAT: 'full', FIGURES: join(folder, 'figures') }
    const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
    const files = EXPERIMENTS.map((name) => `tests/${name}.test.ts`)
    const { status } = spawnSync(process.execPath, [mocha, ...files], { env, stdio: 'inherit' })
    return status === 0 ? figuresIn(env.FIGURES) : null
  } finally {
    await rm(folder, { recursive: true })
  }
}

const isWhole = !values.short && only === undefined
const experiments = isWhole ? await runExperiments() : []
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const cells = processCells.filter(({ name }) => name.includes(only ?? ''))
const runs = await Promise.all(sideBySide(cells).map((some) => runProcessCells(form, { cells: some, tell })))
const processes = cells.map(({ name }) => runs.flat().find(({ cell }) => cell === name)!)
const receivers = only === undefined ? await runReceiverCells() : []
const oneProcess: EmbeddedResult[] = []
for (const cell of embeddedCells.filter(({ name }) => name.includes(only ?? ''))) {
  tell(cell.name)
  oneProcess.push(await runEmbeddedCell(cell, inOneProcess))
}
const ownPostgres = only === undefined ? await runStockPostgresCells(onPostgres) : []

const seconds = (milliseconds: number): number => milliseconds / 1_000

const text = `# Reliability

This page shows what holds while processes and servers fail. An oracle (\`tests/chaos/oracle\`) records every notification that was sent and every call that a shop received.
It checks the body and both signatures of each call. \`npm run reliability\` writes this page, last from commit ${commit}, in ${minutes()} minutes. Every change runs each cell in a short form. The columns:

- *accepted*: notifications answered with 2xx, and mails in the mailbox. If a notification is refused, the phone sends it again.
- *lost*: accepted, but neither accepted nor refused by the shop until the schedule was over. Must be 0.
- *altered*: calls whose content differs from the notification, or that are not signed. Must be 0.
- *out of order*: calls after a later attempt of the same delivery. For the \`ordered\` rule, also calls that began before the call for an earlier
  notification had ended. Earlier means: accepted before the later one was sent.
- *duplicated*: calls made again with the same attempt number. If a process dies or freezes after it has started a call, it is not known whether the call
  arrived, so it is made again. This may happen only to calls that were claimed and not recorded at that moment (*claims open*). Duplicates *without a claim*
  must be 0.

## Processes and servers

The installation has two processes of \`deliver\`, one of each other role, EventStoreDB's stand-in, Kafka, Postgres, and a mailbox on a Dovecot. It receives ${form.rate}
notifications and ${form.mailsPerSecond} mails per second. One shop is slow; another asks for order and fails now and then. The failures: ${form.kills} kills of each of \`api\`,
\`project\`, \`relay\`, \`deliver\` and \`collect\`, at random moments; ${seconds(form.frozen)} s frozen; servers ${seconds(form.serverAway)} s down, the projector ${seconds(form.projectorAway)} s; ${form.rebalances} times a third delivery
process joins and leaves.

${table('What happens', processes)}

A transaction's position in the order is its time of capture, by the clock of the process that captured it. While that clock is wrong, so is the position.

## Your own Postgres

Debian's Postgres stores everything, including the events, in a database with unsuitable defaults, such as commits that do not wait for the disk. Each fault occurs
${onPostgres.times} times.

${table('What happens', ownPostgres)}

## Experiments

Each has an installation of its own. ${experiments?.length ?? 0} results of the tests in \`tests/chaos\`, \`tests/contract\` and \`tests/integration\`, at full length.

${[row(['Experiment', 'Result']), row(['---', '---']), ...(experiments ?? []).map(({ experiment, result }) => row([experiment, result]))].join('\n')}

## One process

One process with the embedded database receives ${inOneProcess.perSecond} notifications per second. Each fault occurs ${inOneProcess.times} times: less than 32 MB are left on its disk,
or nothing; a backup is made, restored beside the running process and audited, and must contain everything that was accepted before it began. The test of a
full disk needs root.

${table('What happens', oneProcess)}

## Receivers

One process, embedded. Every notification goes to every endpoint, which fails at first and then accepts it.

${table('The endpoint', receivers)}
`
console.log(text)
if (experiments === null) console.error('An experiment failed, see above. The page is not written.')
else if (isWhole) await writeFile(new URL('../../../docs/reliability.md', import.meta.url), text)
process.exit(experiments === null ? 1 : 0)
