import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { commandInProcess } from '../../harness/command-in-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { errorOf } from '../../harness/outcomes.ts'

describe('a command in the process of the test', () => {
  it('has its own settings, output and exit status, and leaves nothing behind', async () => {
    const state = () => [process.env, process.exitCode, Object.getOwnPropertyDescriptor(process, 'stdin')]
    const before = state()
    const listeners = () => [
      ...['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name)),
      ...process.stdout.eventNames().map((name) => process.stdout.listenerCount(name)),
    ]
    const listening = listeners()
    const [shown, wrong, failed] = await Promise.all([
      commandInProcess(['config'], { PORT: '8123' }),
      commandInProcess(['config', '--unknown'], {}),
      commandInProcess(['audit'], { BAOCO_DATA_DIR: '/nonexistent/baoco' }),
    ])
    expect(shown).to.include({ status: 0, stderr: '' })
    expect(shown.stdout).to.match(/^PORT=8123$/m)
    expect(wrong).to.include({ status: 2, stdout: '' })
    expect(wrong.stderr).to.include('--unknown')
    expect(failed).to.include({ status: 1, stdout: '' })
    expect(failed.stderr).to.match(/^baoco: there is no Baoco in \/nonexistent\/baoco: /)
    expect(state()).to.deep.equal(before)
    expect(listeners()).to.deep.equal(listening)
    for (const stream of [process.stdout, process.stderr]) expect(Object.hasOwn(stream, 'write')).to.equal(false)
  })
})

describe('a command in the process of the test that has not ended', () => {
  let folder: string
  let pipe: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'baoco-pipe-'))
    pipe = join(folder, 'events')
    execFileSync('mkfifo', [pipe])
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A command that waits until something is written into the pipe. */
  const waiting = (atMost?: number) => commandInProcess(['import-events', pipe], { PORT: '8123' }, '', atMost)
  const release = () => writeFile(pipe, 'no event\n')

  it('changes neither the settings nor the output of other code', async () => {
    const { env } = process
    const ended = waiting()
    await eventually(() => Object.hasOwn(process.stdout, 'write'), { what: 'the command' })
    expect(process.env).to.equal(env)
    for (const stream of [process.stdout, process.stderr])
      expect(stream.write).to.equal((Object.getPrototypeOf(stream) as typeof stream).write)
    await release()
    expect(await ended).to.deep.include({ status: 1, stdout: '' })
    expect((await ended).stderr).to.match(/^baoco: nothing was imported: /)
  })

  it('fails after a while, and the next one runs', async () => {
    const [late, next] = await Promise.all([errorOf(waiting(1)), commandInProcess(['config'], { PORT: '8123' })])
    expect(late?.message).to.match(/^baoco import-events \S+ did not end within 1 ms:/)
    expect(next.stdout).to.match(/^PORT=8123$/m)
    await release()
  })
})
