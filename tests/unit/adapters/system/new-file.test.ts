import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { expect } from 'chai'
import { draftOf, writeNewFile } from '../../../../adapters/system/new-file.ts'

describe('a file that a command writes', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'baoco-new-file-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (file: string): Promise<void> =>
    writeNewFile(file, (output) => finished(output.end('new')), new AbortController().signal)

  it('replaces the draft of a killed command, and touches no draft that may be in use', async () => {
    const file = join(folder, 'events.jsonl')
    const ended = spawnSync(process.execPath, ['--version']).pid
    // A container often has the same process id again.
    const left = [draftOf(file, ended), draftOf(file, process.pid)]
    const kept = [
      draftOf(file, process.ppid),
      draftOf(file, ended, 'another-machine'),
      draftOf(join(folder, 'other.jsonl'), ended),
      `${file}.part`,
    ]
    for (const name of [...left, ...kept]) writeFileSync(name, 'half')
    await write(file)
    expect(readdirSync(folder)).to.have.members([file, ...kept].map((name) => basename(name)))
    expect(readFileSync(file, 'utf8')).to.equal('new')
  })

  it('is written even if the draft of a killed command cannot be removed, such as a file of another user', async () => {
    const file = join(folder, 'events.jsonl')
    // The tests may run as root, who may remove every file.
    mkdirSync(draftOf(file, spawnSync(process.execPath, ['--version']).pid))
    await write(file)
    expect(readFileSync(file, 'utf8')).to.equal('new')
  })

  it('does not overwrite one that another command has written meanwhile', async () => {
    const file = join(folder, 'events.jsonl')
    const late = writeNewFile(
      file,
      async (output) => {
        writeFileSync(file, 'of another')
        await finished(output.end('new'))
      },
      new AbortController().signal,
    )
    const refused = await late.catch((error: Error) => error.message)
    expect(refused).to.equal(`${file} already exists: name a new file`)
    expect(readFileSync(file, 'utf8')).to.equal('of another')
    expect(readdirSync(folder)).to.deep.equal(['events.jsonl'])
  })
})
