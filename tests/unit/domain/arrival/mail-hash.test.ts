import { expect } from 'chai'
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { mailHashOf } from '../../../../domain/arrival/mail-hash.ts'
import { NO_HEADERS } from '../../../../domain/mail-trust/mail-trust.ts'
import { shownOf } from '../../../harness/accounts.ts'

const mail = (changes: Partial<Arrival> = {}, message_id: string | null = '<1@timo.vn>'): Arrival => ({
  credential: { kind: 'mailbox', user_id: 1, mail_account_id: 7 },
  incoming: { text: 'Tài khoản có biến động', from: 'support@timo.vn', subject: 'Thông báo' },
  posted_as: null,
  stamp: new Date('2026-03-10T05:00:00Z'),
  arrived_at: new Date('2026-03-10T05:00:09Z'),
  mail: { headers: NO_HEADERS, message_id },
  raw: '{}',
  ...changes,
})

describe('the hash of a mail', () => {
  it('is the same when the mail is read again', () => {
    const again = mail({ arrived_at: new Date('2026-03-12T00:00:00Z'), raw: '{"x":1}' })
    expect(mailHashOf(again)).to.equal(mailHashOf(mail()))
    expect(mailHashOf(mail({}, null))).to.equal(mailHashOf(mail({}, null)))
  })

  it('differs if any other field differs, under the same Message-ID or none', () => {
    const { incoming } = mail()
    const others = (message_id: string | null) => [
      mail({ incoming: { ...incoming, text: 'Tài khoản có biến động!' } }, message_id),
      mail({ incoming: { ...incoming, from: 'support@tirno.vn' } }, message_id),
      mail({ incoming: { ...incoming, subject: 'Thông báo khác' } }, message_id),
      mail({ stamp: new Date('2026-03-10T05:00:01Z') }, message_id),
      mail({ stamp: null }, message_id),
      mail({ credential: { kind: 'mailbox', user_id: 1, mail_account_id: 8 } }, message_id),
    ]
    const all = [mail(), mail({}, '<2@timo.vn>'), mail({}, null), ...others('<1@timo.vn>'), ...others(null)]
    expect(new Set(all.map(mailHashOf))).to.have.lengthOf(all.length)
  })

  it('is stored with an unread mail, and is null for other notifications', () => {
    const kept = { notification_id: 5, source: 'mail:7', silent: false }
    const reread = (more: object) => mail({ credential: { kind: 'kept', user_id: 1, kept: { ...kept, ...more } } })
    expect(mailHashOf(reread({ mail_hash: 'abc' }))).to.equal('abc')
    expect(mailHashOf(reread({}))).to.equal(null)
    expect(mailHashOf(mail({ credential: shownOf(1, 1) }))).to.equal(null)
  })
})
