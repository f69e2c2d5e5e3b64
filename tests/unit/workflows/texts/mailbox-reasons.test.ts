import { expect } from 'chai'
import { mailFailure } from '../../../../adapters/mail/failure.ts'
import { Failure } from '../../../../adapters/webhook-sender/failure.ts'
import { AFTER_A_BREAK_IN } from '../../../../domain/account/end-everything.ts'
import { mailboxReason } from '../../../../workflows/texts/mailbox-reasons.ts'
import { TEXTS } from '../../../../workflows/texts/texts.ts'
import { apiSentences } from '../../../harness/api-sentences.ts'

const failed = (code: string): string => mailFailure(Object.assign(new Error('x'), { code })).message
const refused = (responseText?: string): string =>
  mailFailure(Object.assign(new Error('x'), { authenticationFailed: true, responseText })).message

const CODES = [
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ECONNRESET',
  'SELF_SIGNED_CERT',
  'ERR_SSL_X',
  'UnexpectedTag',
]
const REASONS = [
  refused(),
  mailFailure(Object.assign(new Error('x'), { authenticationFailed: true, serverResponseCode: 'UNAVAILABLE' })).message,
  ...[...CODES, 'LineTooLarge', 'STARTTLS_INJECTION', 'EELSE'].map(failed),
  mailFailure(new Error('STARTTLS')).message,
  mailFailure(new Failure('dns', 'The name mail.shop.example could not be resolved.')).message,
  mailFailure(new Failure('private_address', '10.0.0.1 is not a public address.')).message,
  'The server does not respond in time.',
  'The mailbox has no folder Bank.',
  'The server does not keep to the protocol (IMAP).',
  'The server does not report UIDVALIDITY.',
  'The server lists a mail but does not return it.',
  'The server lists mails that were not asked for.',
  'The server sends its answers too slowly.',
  'The server reports new mails all the time.',
  AFTER_A_BREAK_IN,
] // prettier-ignore

describe('why a mailbox cannot be read', () => {
  it('is Vietnamese in a Vietnamese mail', () => {
    for (const reason of REASONS) {
      const text = mailboxReason(reason)
      expect(text).not.to.equal(reason)
      expect(TEXTS.vi.alerts.mailboxFailing('a@b.vn', 'imap.b.vn', reason)).to.include(
        `imap.b.vn. ${text} Thư không mất`,
      )
      expect(TEXTS.vi.alerts.mailboxPaused('a@b.vn', reason)).to.include(`đã bị tạm dừng: ${text} Hiện thư`)
    }
  })

  it('has a text for every sentence of the code that reads mailboxes', () => {
    const sentences = apiSentences().filter(({ at }) => /^(?:adapters\/mail|workflows\/mail-ingest)\//.test(at))
    expect(sentences.map(({ text }) => text)).to.include('The server refuses the connection.')
    // The ends of `The server ${what}.` are among the reasons above.
    const unknown = sentences.filter(({ text }) => text !== 'The server 7.' && mailboxReason(text) === text)
    expect(unknown.map(({ at, text }) => `${at}: ${text}`)).to.deep.equal([])
  })

  it('contains what the server says, as a sentence of its own', () => {
    const { vi, en } = TEXTS
    const reason = refused('Invalid credentials (Failure)')
    expect(vi.alerts.mailboxFailing('a@b.vn', 'imap.b.vn', reason)).to.include(
      'Máy chủ không nhận tên đăng nhập hoặc mật khẩu. Máy chủ báo: Invalid credentials (Failure). Thư không mất',
    )
    expect(en.alerts.mailboxFailing('a@b.vn', 'imap.b.vn', reason)).to.include(
      'the password. It says: Invalid credentials (Failure). Its mails',
    )
    expect(mailboxReason(refused('$1 It says: $&'))).to.match(/Máy chủ báo: \$1 It says: \$&$/)
  })

  it('stays as it is if no text is known for it', () =>
    expect(mailboxReason('Something new.')).to.equal('Something new.'))
})
