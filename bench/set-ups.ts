/**
 * Runs the benchmarks of receiving, the whole way and latency on each set-up of servers, and compares them with the embedded set-up of the
 * same run. `stock` is Debian's Postgres with the settings of its package (`jit` on). Writes the table in docs/benchmarks.md. The benchmarks run in turn, each shorter than on its own, and their output is parsed.
 * Takes about twelve minutes on a quiet machine.
 *
 *     npx tsx bench/set-ups.ts                 writes the table
 *     npx tsx bench/set-ups.ts --only stock    measures that set-up and embedded, and only prints
 *     npx tsx bench/set-ups.ts --short         checks in a few minutes that every set-up works; its figures mean nothing
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs, promisify } from 'node:util'
import { SET_UPS, type SetUpName } from '../tests/harness/servers.ts'

const { short: isShort = false, only } = parseArgs({
  options: { short: { type: 'boolean' }, only: { type: 'string' } },
}).values
const setUps = SET_UPS.filter((name) => only === undefined || name === only || name === 'embedded')
const DOCUMENT = new URL('../docs/benchmarks.md', import.meta.url)
/** The markers around the table in that document. */
const [FROM, TO] = ['<!-- bench/set-ups.ts -->', '<!-- end -->']

interface Benchmark {
  script: string
  /** Sets the duration or the amount. */
  env: Record<string, string>
  /** The figures in its output: name, unit, and the pattern that finds the figure. */
  figures: readonly [name: string, unit: string, printed: RegExp][]
}

const BENCHMARKS: readonly Benchmark[] = [
  {
    script: 'receive.ts',
    env: { SECONDS: isShort ? '1' : '5' },
    figures: [
      ['accepted, no rule', '/s', /no rule matches: (\d+)\/s/],
      ['accepted, with a rule', '/s', /with a matching rule: (\d+)\/s/],
    ],
  },
  {
    script: 'whole-way.ts',
    env: { COUNT: isShort ? '300' : '5000' },
    figures: [['whole way', '/s', /, (\d+)\/s \(received/]],
  },
  {
    script: 'latency.ts',
    env: { SECONDS: isShort ? '2' : '10', RATE: isShort ? '20' : '100' },
    figures: [
      ['p50 at 100/s', ' ms', /p50 ([\d.]+) ms/],
      ['p99 at 100/s', ' ms', /p99 ([\d.]+) ms/],
    ],
  },
]

const run = async (setUp: SetUpName, { script, env, figures }: Benchmark): Promise<number[]> => {
  const path = new URL(script, import.meta.url).pathname
  const settings = { env: { ...process.env, ...env, SETUP: setUp } }
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', path], settings)
  console.error(`${setUp}: ${stdout.trim()}`)
  return figures.map(([name, , printed]) => {
    const [, figure] = printed.exec(stdout) ?? []
    if (figure === undefined) throw new Error(`${script} on ${setUp} did not tell "${name}"`)
    return Number(figure)
  })
}

const all = BENCHMARKS.flatMap(({ figures }) => figures)
const rows: number[][] = []
for (const setUp of setUps) {
  const row: number[] = []
  for (const benchmark of BENCHMARKS) row.push(...(await run(setUp, benchmark)))
  rows.push(row)
}
const cell = (row: readonly number[], column: number): string => {
  const [figure, embedded] = [row[column]!, rows[0]![column]!]
  return `${figure.toLocaleString('en')}${all[column]![1]}${row === rows[0] ? '' : ` (${(figure / embedded).toFixed(2)})`}`
}
const table = [
  `| Set-up | ${all.map(([name]) => name).join(' | ')} |`,
  `|---|${all.map(() => '---:').join('|')}|`,
  ...rows.map((row, index) => `| ${setUps[index]} | ${all.map((_, column) => cell(row, column)).join(' | ')} |`),
].join('\n')
console.log(table)
if (!isShort && only === undefined) {
  const text = await readFile(DOCUMENT, 'utf8')
  const [before, rest] = text.split(FROM)
  const after = rest?.split(TO)[1]
  if (after === undefined) throw new Error(`docs/benchmarks.md has no place for the table: ${FROM} … ${TO}`)
  await writeFile(DOCUMENT, `${before}${FROM}\n\n${table}\n\n${TO}${after}`)
}
