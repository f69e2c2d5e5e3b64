/**
 * Receiving, the whole way and latency on each set-up of servers, beside the embedded figures of the same run, as a table. The
 * benchmarks themselves run, in turn, each shorter than by itself; their lines are read.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SET_UPS } from '../tests/support/servers.ts'

interface Measure {
  name: string
  script: string
  env: Record<string, string>
  /** Finds the figure in what the script printed. */
  figure: RegExp
  unit: string
}

const MEASURES: readonly Measure[] = [
  {
    name: 'accepted, no rule',
    script: 'receive.ts',
    env: { SECONDS: '8' },
    figure: /no rule matches: (\d+)\/s/,
    unit: '/s',
  },
  {
    name: 'accepted, with a rule',
    script: 'receive.ts',
    env: { SECONDS: '8' },
    figure: /with a matching rule: (\d+)\/s/,
    unit: '/s',
  },
  { name: 'whole way', script: 'whole-way.ts', env: { COUNT: '5000' }, figure: /, (\d+)\/s \(received/, unit: '/s' },
  { name: 'p50 at 100/s', script: 'latency.ts', env: { SECONDS: '10', RATE: '100' }, figure: /p50 ([\d.]+) ms/, unit: ' ms' }, // prettier-ignore
  { name: 'p99 at 100/s', script: 'latency.ts', env: { SECONDS: '10', RATE: '100' }, figure: /p99 ([\d.]+) ms/, unit: ' ms' }, // prettier-ignore
]

const run = promisify(execFile)

const printed = new Map<string, Promise<string>>()

/** What a script prints on a set-up; each runs once. */
const outputOf = (setup: string, { script, env }: Measure): Promise<string> => {
  const key = `${setup} ${script}`
  if (!printed.has(key))
    printed.set(
      key,
      run(process.execPath, ['--import', 'tsx', new URL(script, import.meta.url).pathname], {
        env: { ...process.env, ...env, SETUP: setup },
      }).then(({ stdout }) => stdout),
    )
  return printed.get(key)!
}

const embedded = new Map<Measure, number>()

console.log(`| Set-up | ${MEASURES.map(({ name }) => name).join(' | ')} |`)
console.log(`|---|${MEASURES.map(() => '---:').join('|')}|`)
for (const setup of SET_UPS) {
  const cells: string[] = []
  for (const measure of MEASURES) {
    const [, text] = measure.figure.exec(await outputOf(setup, measure)) ?? []
    const figure = Number(text)
    if (!embedded.has(measure)) embedded.set(measure, figure)
    cells.push(`${text ?? '?'}${measure.unit} (${(figure / embedded.get(measure)!).toFixed(2)})`)
  }
  console.log(`| ${setup} | ${cells.join(' | ')} |`)
}
