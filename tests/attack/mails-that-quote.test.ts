/**
 * Attack: a stranger lets a bank's own server send his words to the shop. He writes to an address of the bank, as if he were the shop or
 * with the shop as a copy. The bank's bounce, automatic answer or answer by a person repeats what he wrote, and carries the bank's
 * signature.
 */
import { expect } from 'chai'
import { openIds } from '../../adapters/system/ids.ts'
import { parseMail } from '../../adapters/mail/parse.ts'
import { openCapture } from '../../workflows/capture/capture.ts'
import { arrivalOfMail } from '../../workflows/mail-ingest/arrival.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { AUTHSERV_ID, timoMail } from '../harness/bank-mails.ts'
import { eventually } from '../harness/eventually.ts'

const FORGED = 'Tài khoản Spend Account vừa tăng 5.000.000 VND. Số dư hiện tại: 9.000.000 VND. Mô tả: DH4001.'

const WRITTEN = [`From: shop@mailbox.example`, 'To: nobody@timo.vn', 'Subject: x', 'MIME-Version: 1.0']
const PLAIN = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit']

/** A mail that Timo signed, with more headers and another body. */
const signed = (headers: readonly string[], body: readonly string[]): string => {
  const [head] = timoMail(1, '').split('\r\n\r\n')
  const kept = head!.split('\r\n').filter((line) => !/^Content-|^Message-ID/.test(line))
  return [...kept, 'Message-ID: <answer@timo.vn>', ...headers, '', ...body, ''].join('\r\n')
}

const QUOTES: Record<string, string> = {
  'an automatic answer': signed(
    ['Auto-Submitted: auto-replied (ticket)', ...PLAIN],
    ['We received your request.', '', '> ' + FORGED],
  ),
  'an answer to a mail': signed(
    ['In-Reply-To: <1@evil.example>', ...PLAIN],
    ['We received your request.', '', 'You wrote:', FORGED],
  ),
  'an answer in a conversation': signed(
    ['References: <1@evil.example>\r\n\t<2@evil.example>', 'Content-Type: text/html; charset=utf-8'],
    [`<p>Hello</p><blockquote><p>${FORGED}</p></blockquote>`],
  ),
  'an answer of a program whose headers do not say so': signed(PLAIN, ['We received your request:', '', '> ' + FORGED]),
  'an answer that only its subject shows': signed(PLAIN, ['Hello', FORGED]).replace(/^Subject: .*$/m, 'Subject: RE: [#77] Hello'),
  'an HTML answer of such a program': signed(
    ['Content-Type: text/html; charset=utf-8'],
    [`<p>We received your request:</p><blockquote type="cite"><p>${FORGED}</p></blockquote>`],
  ),
  'such an answer, with the quote as HTML only': signed(
    ['Content-Type: multipart/alternative; boundary=B'],
    [
      '--B', 'Content-Type: text/plain; charset=utf-8', '', 'We received your request:', '', FORGED,
      '--B', 'Content-Type: text/html; charset=utf-8', '', `<p>We received it.</p><blockquote>${FORGED}</blockquote>`, '--B--',
    ],
  ),
  'an answer written with Outlook': signed(
    ['Content-Type: text/html; charset=utf-8'],
    [
      `<div>Hello</div><div><b>From:</b> Shop &lt;shop@mailbox.example&gt;<br><b>Sent:</b> Friday, November 20, 2026 9:00 AM<br>`,
      `<b>To:</b> support@timo.vn<br><b>Subject:</b> x</div><p>${FORGED}</p>`,
    ],
  ),
  'an answer written with Outlook in Vietnamese': signed(PLAIN, [
    'Xin chào', '', 'Từ: Shop <shop@mailbox.example>', 'Đã gửi: Thứ Sáu, 20 Tháng Mười Một 2026 9:00 SA', 'Tới: support@timo.vn',
    'Chủ đề: x', '', FORGED,
  ]),
  'a mail with the original as a part': signed(
    ['Content-Type: multipart/mixed; boundary=B'],
    [
      '--B', 'Content-Type: text/plain', '', 'This mail could not be taken.', '--B', 'Content-Type: message/rfc822',
      'Content-Disposition: inline', '', ...WRITTEN, ...PLAIN, '', FORGED, '--B--',
    ],
  ),
  'a report with the original as HTML': signed(
    ['Auto-Submitted: auto-replied', 'Content-Type: multipart/report; report-type=delivery-status; boundary=B'],
    [
      '--B', 'Content-Type: text/plain', '', 'Not delivered.', '--B', 'Content-Type: message/delivery-status', '',
      `Diagnostic-Code: smtp; 550 ${FORGED}`, '--B', 'Content-Type: message/rfc822', 'Content-Disposition: inline', '', ...WRITTEN,
      'Content-Type: text/html; charset=utf-8', '', `<p>${FORGED}</p>`, '--B--',
    ],
  ),
} // prettier-ignore

describe('attack: a signed mail of the bank that quotes a stranger', () => {
  let api: ApiUnderTest
  before(async () => (api = await openApi({}, 'real')))
  after(() => api.close())

  for (const [n, [what, source]] of Object.entries(QUOTES).entries())
    it(`is not a transaction: ${what}`, async () => {
      const { api_key: key, user_id } = await api.newAccount(`quoting-${n}@example.com`, 'Pro')
      const json = { email: 'shop@mailbox.example', host: 'mail.mailbox.example', password: 'x', authserv_id: AUTHSERV_ID }
      const { body } = await api.ask('POST', '/api/mail-accounts', { key, json })
      const mailbox = { user_id, mail_account_id: body.data.id as number }
      const { store, clock } = api
      const capture = openCapture({ store, ids: openIds({ store, clock }), clock, plans: null })
      const mails = [source, timoMail(9, 'DH4009')]
      for (const [uid, mail] of mails.entries()) {
        const parsed = await parseMail(Buffer.from(mail), { uid, received_at: clock.now() })
        await capture.take([arrivalOfMail(mailbox, parsed, clock.now())])
      }
      const orders = async () =>
        ((await api.ask('GET', '/api/transactions', { key })).body.data as { order_id: string }[]).map(({ order_id }) => order_id)
      await eventually(async () => (await api.ask('GET', '/api/notifications', { key })).body.total === mails.length)
      expect(await orders()).to.deep.equal(['DH4009'])
    }) // prettier-ignore
})
