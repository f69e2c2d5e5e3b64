import { expect } from 'chai'
import { watchMailboxes, type FailingMailbox } from '../../../../workflows/scheduled/watch-mailboxes.ts'

const AT = '2026-03-01T00:00:00.000Z'

describe('the watch on mailboxes', () => {
  it('keeps an alert while its mailbox fails, even if it has failed again for less than a minute', async () => {
    let isFailing = true
    const ended: string[] = []
    const job = watchMailboxes({
      // Only those that have failed for a minute.
      failing: async (): Promise<FailingMailbox[]> => [],
      lasting: async () => [
        { user_id: 1, subject: 'mailbox:2', alerts: 1, is_used: true, looked_at: AT, is_failing: isFailing },
      ],
      alerts: {
        raise: async () => ({ checkpoint: null }),
        end: async ({ subject }) => {
          ended.push(subject)
          return { checkpoint: '1' }
        },
      },
      log: { warn: () => {}, info: () => {} },
    })
    const { signal } = new AbortController()
    expect(await job.run(signal)).to.equal(null)
    isFailing = false
    expect(await job.run(signal)).to.deep.equal({ raised: 0, ended: 1 })
    expect(ended).to.deep.equal(['mailbox:2'])
  })

  it('raises an alert for one that has failed for a minute, and keeps the words of its server out of the log', async () => {
    const waited: number[] = []
    const texts: string[] = []
    const logged: object[] = []
    const job = watchMailboxes({
      failing: async (afterSeconds) => {
        waited.push(afterSeconds)
        const reason = "The server rejected the user name or the password. It says: a stranger's text"
        return [{ user_id: 1, mail_account_id: 2, username: 'shop', host: 'imap.x.vn', reason, since: AT }]
      },
      lasting: async () => [],
      alerts: {
        raise: async ({ text }) => {
          texts.push(text.en)
          return { checkpoint: '1' }
        },
        end: async () => ({ checkpoint: null }),
      },
      log: { warn: (fields) => void logged.push(fields), info: () => {} },
    })
    expect(await job.run(new AbortController().signal)).to.deep.equal({ raised: 1, ended: 0 })
    expect(waited).to.deep.equal([60])
    expect(texts[0]).to.include("a stranger's text")
    expect(logged).to.have.length(1)
    expect(JSON.stringify(logged)).to.include('rejected the user name').and.not.include('stranger')
  })
})
