import { expect } from 'chai'
import { DAY_MS } from '../../../../domain/time.ts'
import { sendAlerts } from '../../../../workflows/reactors/send-alerts.ts'
import { accountOf } from '../../../harness/accounts.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')
const before = (ms: number) => new Date(NOW.getTime() - ms).toISOString()

describe('the mails about alerts', () => {
  interface Mail {
    to: string
    text: string
  }
  /** Meets an event. @returns the mails that are sent */
  const mails = async (type: 'AlertRaised' | 'AlertEnded', data: object, at = before(0)): Promise<Mail[]> => {
    const sent: Mail[] = []
    const { answers } = sendAlerts({
      accounts: { find: async () => accountOf(5), change: () => Promise.reject(new Error('the account was changed')) },
      clock: { now: () => NOW },
      mailer: { send: async (mail: Mail) => void sent.push(mail) },
    } as never)
    await answers[type]!({ id: 'id', type, data: { user_id: 5, ...data }, metadata: { user_id: 5, at } } as never)
    return sent
  }
  const mailed = async (...given: Parameters<typeof mails>) => (await mails(...given)).map(({ to }) => to)
  const OWNER = ['user5@example.com']

  it('are not sent if the alert or its cause is older than a day, as when all events are read again', async () => {
    const alert = { kind: 'rule_paused', subject: 'webhook:1', text: 'text' }
    expect(await mailed('AlertRaised', { ...alert, since: before(DAY_MS) }, before(DAY_MS))).to.deep.equal(OWNER)
    expect(await mailed('AlertRaised', { ...alert, since: before(0) }, before(DAY_MS + 1))).to.deep.equal([])
    expect(await mailed('AlertRaised', { ...alert, since: before(DAY_MS + 1) })).to.deep.equal([])
  })

  it('say the end only of an alert about an endpoint that a rule still uses', async () => {
    const ended = (kind: string, subject: string) => mailed('AlertEnded', { kind, subject, until: before(0) })
    expect(await ended('endpoint_failing', 'https://shop.example')).to.deep.equal(OWNER)
    expect(await ended('endpoint_failing', 'https://other.example')).to.deep.equal([])
    expect(await ended('rule_paused', 'https://shop.example')).to.deep.equal([])
  })

  it('say where the end will be seen, by the name that it has on the pages', async () => {
    const text = async (kind: string, subject = 'it:1') =>
      (await mails('AlertRaised', { kind, subject, text: 'Text.', since: '2026-11-01T23:00:00.000Z' }))[0]!.text
    expect(await text('source_silent')).to.match(/\n\nTừ 06:00 ngày 02\/11\/2026\. Trang Hôm nay hiện cảnh báo này/)
    expect(await text('endpoint_failing')).to.include('Khi hết lỗi, bạn sẽ nhận được thư.')
    expect(await text('endpoint_failing', 'rule:1')).to.include('Trang Hôm nay hiện cảnh báo này')
    expect(await text('new_bank_account')).to.match(/Từ 06:00 ngày 02\/11\/2026\.\n$/)
  })
})
