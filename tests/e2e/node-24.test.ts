/** All other tests run on the Node.js of the machine. The most important ones run here on that of the image too. */
import { execFile } from 'node:child_process'
import { dirname, delimiter } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { needs } from '../harness/debian.ts'
import { installNode, NODE_24 } from '../harness/node/install.ts'
import { readRoot } from '../unit/containers/compose.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))

const SUITES = [
  'tests/contract/event-store/postgres.test.ts',
  'tests/contract/event-store/eventstoredb.test.ts',
  'tests/contract/log/embedded.test.ts',
  'tests/e2e/main-job-embedded.test.ts',
  'tests/integration/setup.test.ts',
]

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
    const run = promisify(execFile)(node, [MOCHA, '--no-parallel', ...SUITES], options)
    const { stdout } = await run.catch((error: Error & { stdout?: string }) => {
      throw new Error(error.stdout ?? error.message)
    })
    const [, passed] = /^(\d+) passed, 0 failed/m.exec(stdout) ?? []
    expect(Number(passed)).to.be.above(100)
  })
})
