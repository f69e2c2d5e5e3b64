/** Runs the delivery benchmarks in their short form, to check that they still measure something. Only long runs give meaningful figures. */
import { expect } from 'chai'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { bundledScript } from '../harness/bundled-script.ts'
import { eventually } from '../harness/eventually.ts'
import { isAlive } from '../harness/is-alive.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'

const run = async (name: string, env: Record<string, string> = {}): Promise<string> => {
  const script = await bundledScript(new URL(`../../bench/${name}.ts`, import.meta.url).pathname)
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--short'], {
    env: { ...process.env, ...env },
  })
  return stdout
}

describe('short benchmarks', function () {
  this.timeout(600_000)
  let printed: Record<'delivery' | 'hanging' | 'backlog', Promise<string>>

  before(() => {
    // They run side by side, because they mostly wait for processes to start.
    printed = { delivery: run('delivery'), hanging: run('hanging'), backlog: run('backlog') }
    for (const each of Object.values(printed)) each.catch(() => {})
  })

  it('measure the throughput and the cost of deliveries', async () => {
    const output = await printed.delivery
    const rows = output
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.includes('---'))
      .map((line) => line.slice(2, -2).split(' | '))
    const of = ['1 endpoint', '12 endpoints', 'fan-out 10']
    expect(rows.map(([name]) => name)).to.deep.equal([
      'as fast as it goes',
      ...of,
      'retry drain, 12 endpoints',
      'at a steady rate',
      ...of,
    ])
    const figures = rows.filter(([, first]) => /^[\d.-]+$/.test(first!)).map(([, ...cells]) => cells.map(Number))
    expect(figures).to.have.length(7)
    for (const each of figures.flat()) expect(each).to.satisfy(Number.isFinite)
    expect(output).to.match(/one alone: -?[\d.]+ statements from the claim/)
  })

  it('measure nine endpoints while a tenth hangs', async () => {
    expect(await printed.hanging).to.match(
      /nine others at 20\/s, of 2 shops: median p99 [\d.]+ ms without, [\d.]+ ms with/,
    )
  })

  it('measure the delivery queue at a large size', async () => {
    const output = await printed.backlog
    expect(output).to.match(/^2,000 wait: [\d.]+ statements\/s/m)
    expect(output).to.match(/^60 due at once, 2 workers: all recorded in [\d.]+ s, .*each called once/m)
  })
})

describe('a benchmark that is interrupted or fails', () => {
  for (const way of ['fail', 'signal'] as const)
    it(`leaves no process behind (${way})`, async () => {
      const script = new URL('failing-benchmark.ts', import.meta.url).pathname
      const benchmark = spawn(process.execPath, [await bundledScript(script), way], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let printed = ''
      benchmark.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
      const ended = once(benchmark, 'exit')
      const pid = Number(await eventually(() => /^(\d+)\n/.exec(printed)?.[1]))
      if (way === 'signal') benchmark.kill('SIGTERM')
      await ended
      expect(benchmark.exitCode).to.equal(1)
      await eventually(() => !isAlive(pid), { what: 'the end of its process' })
    })
})

describe("short benchmarks on Debian's Postgres", function () {
  this.timeout(600_000)
  needsStockPostgres()

  it('measure the whole way', async () => {
    expect(await run('whole-way', { SETUP: 'stock' })).to.match(
      /set-up: stock; commits: fsync on, full_page_writes on, synchronous_commit on\nwhole way: 20 in/,
    )
  })
})
