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
})
