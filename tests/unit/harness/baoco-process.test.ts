import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { launchBaoco } from '../../harness/baoco-process.ts'

describe('processes that a test starts', () => {
  let dataDir: string
  before(() => (dataDir = mkdtempSync(join(tmpdir(), 'baoco-started-'))))
  after(() => rmSync(dataDir, { recursive: true }))

  it('share one listener for the end of the test process, so that Node warns of none', async () => {
    const program = join(dataDir, 'waits.mjs')
    writeFileSync(program, 'setInterval(() => {}, 60_000)')
    const before = process.listenerCount('exit')
    const start = () => launchBaoco({ dataDir, port: 0 }, {}, 'serve', { program, nodeOptions: [] })
    const started = Array.from({ length: 3 }, start)
    expect(process.listenerCount('exit')).to.equal(before)
    await Promise.all(started.map((each) => each.kill()))
  })
})
