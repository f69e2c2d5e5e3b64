/**
 * `npm run reliability`: every cell at full length, as the tables of docs/reliability.md. With `-- --short` the lengths that the
 * tests take, and with `-- --only <name>` the cells whose name has it, both only printed.
 */
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Verdict } from './oracle.ts'
import { FULL, processCells, runProcessCells, SHORT, sideBySide } from './process-cells.ts'
import { runReceiverCells } from './receiver-cells.ts'

const { values } = parseArgs({ options: { short: { type: 'boolean' }, only: { type: 'string' } } })
const form = values.short ? SHORT : FULL
const only = values.only

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

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const cells = processCells.filter(({ name }) => name.includes(only ?? ''))
const runs = await Promise.all(sideBySide(cells).map((some) => runProcessCells(form, { cells: some, tell })))
const processes = cells.map(({ name }) => runs.flat().find(({ cell }) => cell === name)!)
const receivers = only === undefined ? await runReceiverCells() : []

const seconds = (milliseconds: number): number => milliseconds / 1_000

const text = `# Reliability

An oracle (\`tests/chaos/oracle\`) knows every notification that was sent and every call that a shop saw, whose body and both signatures it
checks. This page is made by \`npm run reliability\`, last from commit ${commit}, in ${minutes()} minutes; the tests run every cell in a
short form with every change. Counted are:

- *accepted*: notifications that were answered with 2xx, and mails in the mailbox; what was refused meanwhile is the phone's to send again.
- *lost*: accepted, and neither taken by the shop nor refused by it until the schedule was over. Must be 0.
- *altered*: calls that say something else than the notification did, or are not signed. Must be 0.
- *out of order*: calls after a later attempt of the same delivery; and to the rule that asks for order (\`ordered\`), calls made before
  another was over that had been accepted before theirs was sent.
- *duplicated*: calls that came once more under the same number. Nobody can tell whether a call that was begun by a process which then
  died or froze has arrived, so it is made again: that may happen to what had been claimed and not recorded at that moment, *claims
  open*, and to nothing else: *without a claim* must be 0.

## Processes and servers

Two processes of \`deliver\`, one of each other role, EventStoreDB's stand-in, Kafka and Postgres, a mailbox on a Dovecot; ${form.rate} notifications a second and
two mails beside them, one shop that takes a while and one that asks for order and fails now and then. ${form.kills} kills of each of \`api\`, \`project\`, \`relay\`, \`deliver\` and \`collect\`, at random moments; ${seconds(form.frozen)} s frozen;
servers ${seconds(form.serverAway)} s away, the projector ${seconds(form.projectorAway)} s; ${form.rebalances} times a third delivery process comes and goes.

${table('What happens', processes)}

A transaction's place in the order is when it was captured, by the clock of the process that took it: while that one is wrong it is
a wrong place.

## Receivers

One process, embedded; every notification goes to every endpoint, which misbehaves at first and then takes it.

${table('The endpoint', receivers)}
`
console.log(text)
if (form === FULL && only === undefined) await writeFile(new URL('../../../docs/reliability.md', import.meta.url), text)
process.exit(0)
