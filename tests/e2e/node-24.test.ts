/** All other tests run on the Node.js of the machine. The most important ones run here on that of the image too. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { dirname, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { needs } from '../harness/debian.ts'
import { installNode, NODE_24 } from '../harness/node/install.ts'
import { readRoot } from '../unit/containers/compose.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

interface Compiler {
  compileSources(root: string, folder: string): Promise<void>
  compiledPath(source: string): string
}
const COMPILER = join(ROOT, 'tests/harness/compile-sources.mjs')
const { compileSources, compiledPath } = (await import(COMPILER)) as Compiler

const SUITES = [
  'tests/contract/event-store/postgres.test.ts',
  'tests/contract/event-store/eventstoredb.test.ts',
  'tests/contract/log/embedded.test.ts',
  'tests/e2e/main-job-embedded.test.ts',
  'tests/integration/setup.test.ts',
]

/**
 * Of these suites: the contracts on the servers that this release brings, the main job, and of the set-up what it does with processes and
 * modules. What depends on Debian's Postgres, on SQL, on what the store has kept, or on npm is the same with every Node.js.
 */
const SUBJECTS = ['event store contract: ', 'log contract: ', 'the main job, ']
const DECIDED_BY_STORE = ['retain and erase', 'a store that went back in time']
const OF_SET_UP = ['installs missing packages', 'builds the bundle', 'passes on the exit code', 'stops everything']
const [STORE, ...OTHERS] = SUBJECTS
const TESTS = [
  `${STORE}\\w+ (?!${DECIDED_BY_STORE.join('|')})`,
  ...OTHERS,
  `set-up on a fresh clone .*(${OF_SET_UP.join('|')})`,
]

/** Mocha without its configuration, which would load the compiler. */
const OPTIONS = [
  ...['--no-config', '--no-parallel', '--exit', '--timeout', '240000', '--grep', `^(${TESTS.join('|')})`],
  ...(process.env.REQUIRE_ALL === '1' ? ['--forbid-only', '--forbid-pending', '--fail-zero'] : []),
]

/** The folder of the compiled sources: that of `npm test`, or one of its own. */
const compiled = async (): Promise<{ folder: string; remove(): Promise<void> }> => {
  const given = process.env.COMPILED_SOURCES
  if (given?.startsWith(ROOT)) return { folder: given, remove: async () => {} }
  const folder = join(ROOT, 'node_modules/.cache/baoco-tests', String(process.pid))
  await compileSources(ROOT, folder)
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

describe('Node 24', function () {
  this.timeout(900_000)
  needs('Node 24', () => installNode(NODE_24))()

  it('is that of the image', () => {
    expect(readRoot('Dockerfile')).to.include(`FROM node:${NODE_24.replace(/\.\d+$/, '')}-`)
  })

  it('passes set-up, the main job and the contracts', async () => {
    const node = await installNode(NODE_24)
    const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
    const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 ** 2 }
    const { folder, remove } = await compiled()
    const files = SUITES.map((suite) => join(folder, compiledPath(suite)))
    const run = promisify(execFile)(node, ['--enable-source-maps', MOCHA, ...OPTIONS, ...files], options)
    const { stdout } = await run
      .catch((error: Error & { stdout?: string }) => {
        throw new Error(error.stdout ?? error.message)
      })
      .finally(remove)
    const [, passed] = /^ *(\d+) passing/m.exec(stdout) ?? []
    expect(Number(passed)).to.be.above(100)
    const absent = [...SUBJECTS, ...OF_SET_UP].filter((words) => !stdout.includes(words))
    expect(absent, 'tests that did not run').to.deep.equal([])
  })
})
