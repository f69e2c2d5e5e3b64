/**
 * `npm run reliability`: every cell at full length, as the table of docs/reliability.md. `npm run reliability -- --short` takes
 * the lengths that the tests take.
 */
import { writeFile } from 'node:fs/promises'
import { FULL, runProcessCells, SHORT } from './process-cells.ts'
import { runReceiverCells } from './receiver-cells.ts'

const form = process.argv.includes('--short') ? SHORT : FULL

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n')

const processes = await runProcessCells(form)
const receivers = await runReceiverCells()

const text = `# Reliability

An oracle (\`tests/oracle\`) knows every notification that was sent and every call that a shop saw, whose body and both signatures it
checks. It counts what was *lost* (answered with 2xx and never taken by the shop), *duplicated* (an attempt that arrived twice), *altered*
(a call that says something else than the notification, or is not signed) and *out of order* (an attempt after a later one of the same
delivery). Made by \`npm run reliability\`${form === SHORT ? ' with `-- --short`' : ''}; the tests run every cell in a short form.

## Processes and servers

A process a role (two of \`deliver\`), EventStoreDB's stand-in, Kafka and Postgres; ${form.rate} notifications a second. ${form.kills} kills each, at
random moments; ${form.frozen / 1000} s frozen; ${form.serverAway} ms away, the projector ${form.projectorAway / 1000} s. An attempt may be made twice where it was
claimed and not recorded at that moment: *claims open*.

${table(
  ['What happens', 'accepted', 'lost', 'altered', 'out of order', 'duplicated', 'claims open'],
  processes.map((each) => [
    each.cell,
    each.accepted,
    each.lost,
    each.altered,
    each.out_of_order,
    each.duplicated,
    each.claims_open,
  ]),
)}

## Receivers

One process, embedded; every notification goes to every endpoint, which misbehaves at first and then takes it.

${table(
  ['The endpoint', 'accepted', 'lost', 'altered', 'out of order', 'duplicated'],
  receivers.map((each) => [each.cell, each.accepted, each.lost, each.altered, each.out_of_order, each.duplicated]),
)}
`
await writeFile(new URL('../../docs/reliability.md', import.meta.url), text)
console.log(text)
process.exit(0)
