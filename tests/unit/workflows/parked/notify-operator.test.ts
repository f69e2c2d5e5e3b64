import { expect } from 'chai'
import { HOUR_MS } from '../../../../domain/time.ts'
import { notifyOperator, type ParkedNotice } from '../../../../workflows/parked/notify-operator.ts'

const noticeOf = (stream: string, revision: number): ParkedNotice => ({
  stream,
  revision,
  type: 'NotificationIgnored',
  reason: 'newer_version',
  detail: 'NotificationIgnored has version 4, but this release knows only versions up to 3',
})

const opened = () => {
  const [lines, mails]: [string[], string[]] = [[], []]
  let now = 0
  const tell = notifyOperator({
    mailer: { send: ({ key }) => Promise.resolve(void mails.push(key!)) },
    adminEmail: 'owner@baoco.local',
    log: {
      error: (fields) => void lines.push(`${(fields as ParkedNotice).stream}@${(fields as ParkedNotice).revision}`),
    },
    onFailure: () => {},
    nowMs: () => now,
  })
  return { tell, lines, mails, wait: (ms: number) => void (now += ms) }
}

describe('the notice of a parked stream', () => {
  it('is a line and a mail for each stream, and not for each of its events', () => {
    const { tell, lines, mails } = opened()
    for (const notice of [
      noticeOf('ignored-1', 5),
      noticeOf('ignored-1', 6),
      noticeOf('ignored-2', 1),
      noticeOf('ignored-1', 7),
    ])
      tell(notice)
    expect(lines).to.deep.equal(['ignored-1@5', 'ignored-2@1'])
    expect(mails).to.deep.equal(['parked ignored-1@5', 'parked ignored-2@1'])
  })

  it('comes again for a later event of the stream after an hour', () => {
    const { tell, lines, wait } = opened()
    tell(noticeOf('ignored-1', 5))
    wait(HOUR_MS)
    tell(noticeOf('ignored-1', 5))
    tell(noticeOf('ignored-1', 6))
    wait(HOUR_MS)
    tell(noticeOf('ignored-1', 5))
    expect(lines).to.deep.equal(['ignored-1@5', 'ignored-1@6'])
  })

  it('comes again after an hour for an earlier event that a former release could use', () => {
    const { tell, lines, mails, wait } = opened()
    tell(noticeOf('ignored-1', 6))
    wait(HOUR_MS)
    tell(noticeOf('ignored-1', 5))
    wait(HOUR_MS)
    for (const revision of [5, 6]) tell(noticeOf('ignored-1', revision))
    expect(lines).to.deep.equal(['ignored-1@6', 'ignored-1@5'])
    expect(mails).to.have.length(2)
  })

  it('is a mail for ten streams at most', () => {
    const { tell, lines, mails } = opened()
    for (let user = 1; user <= 12; user++) tell(noticeOf(`ignored-${user}`, 0))
    expect([lines.length, mails.length]).to.deep.equal([12, 10])
  })
})
