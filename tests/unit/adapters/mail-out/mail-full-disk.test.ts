import { expect } from 'chai'
import { mailFullDisk } from '../../../../adapters/mail-out/mail-full-disk.ts'
import { eventually } from '../../../harness/eventually.ts'

const letters = { refusing: { subject: 'refusing', text: '' }, waiting: { subject: 'waiting', text: '' } }

describe('mails about a full disk', () => {
  const begin = (disk: { full: boolean; databaseFull: boolean }, deliver: () => Promise<void>) => {
    const stopping = new AbortController()
    const subjects: string[] = []
    const running = mailFullDisk(
      {
        disk: { isFull: () => disk.full, isDatabaseFull: () => disk.databaseFull },
        server: { deliver: ({ subject }) => (subjects.push(subject), deliver()) },
        to: 'owner@example.com',
        letters,
        host: 'localhost',
        log: { info: () => {}, warn: () => {} },
      },
      stopping.signal,
    )
    return { subjects, stop: () => (stopping.abort(), running) }
  }

  it('say at once that nothing is accepted any more, even after one that said that notifications are accepted', async () => {
    const disk = { full: false, databaseFull: true }
    const { subjects, stop } = begin(disk, () => Promise.resolve())
    expect(subjects).to.deep.equal(['waiting'])
    disk.full = true
    await eventually(() => subjects.length === 2)
    expect(subjects).to.deep.equal(['waiting', 'refusing'])
    await stop()
  })

  it('do not delay a stop while the mail server does not answer', async () => {
    const { subjects, stop } = begin({ full: true, databaseFull: false }, () => new Promise(() => {}))
    expect(subjects).to.deep.equal(['refusing'])
    await stop()
  })
})
