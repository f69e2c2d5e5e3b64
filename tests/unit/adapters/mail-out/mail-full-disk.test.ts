import { expect } from 'chai'
import { mailFullDisk } from '../../../../adapters/mail-out/mail-full-disk.ts'
import { HOUR_MS } from '../../../../domain/time.ts'
import { eventually } from '../../../harness/eventually.ts'

const MINUTE_MS = 60_000
const letters = { refusing: { subject: 'refusing', text: '' }, waiting: { subject: 'waiting', text: '' } }

describe('mails about a full disk', () => {
  const begin = (disk: { full: boolean; databaseFull: boolean }, deliver: () => Promise<void>) => {
    const stopping = new AbortController()
    const subjects: string[] = []
    const logged: string[] = []
    let time = 0
    let looks = 0
    const line = (_: object, what: string) => void logged.push(what)
    const running = mailFullDisk(
      {
        disk: { isFull: () => (looks++, disk.full), isDatabaseFull: () => disk.databaseFull },
        server: { deliver: ({ subject }) => (subjects.push(subject), deliver()) },
        to: 'owner@example.com',
        letters,
        host: 'localhost',
        log: { info: line, warn: line },
        now: () => time,
        lookEveryMs: 1,
      },
      stopping.signal,
    )
    /** Resolves when the disk was looked at after this time. */
    const pass = (milliseconds: number) => {
      time += milliseconds
      const before = looks
      return eventually(() => looks > before + 1)
    }
    return { subjects, logged, pass, stop: () => (stopping.abort(), running) }
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

  it('come once an hour while nothing is accepted, and again a minute after one that could not be sent', async () => {
    let isDown = true
    const { subjects, logged, pass, stop } = begin({ full: true, databaseFull: true }, async () => {
      if (isDown) throw new Error('down')
    })
    await pass(0)
    await pass(MINUTE_MS - 1)
    expect(logged).to.deep.equal(['mail.failed'])
    isDown = false
    await pass(1)
    expect(logged).to.deep.equal(['mail.failed', 'mail.sent'])
    await pass(HOUR_MS - 1)
    expect(subjects).to.have.length(2)
    await pass(1)
    expect(subjects).to.deep.equal(['refusing', 'refusing', 'refusing'])
    await stop()
  })

  it('do not delay a stop while the mail server does not answer', async () => {
    const { subjects, logged, stop } = begin({ full: true, databaseFull: false }, () => new Promise(() => {}))
    expect(subjects).to.deep.equal(['refusing'])
    await stop()
    expect(logged).to.deep.equal([])
  })
})
