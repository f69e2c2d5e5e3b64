import { expect } from 'chai'
import { commandInProcess } from '../../harness/command-in-process.ts'

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
