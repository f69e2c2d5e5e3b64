import { expect } from 'chai'
import { checkEmail, checkPassword } from '../../../../domain/account/access.ts'
import { templateProblem } from '../../../../domain/webhook/payload/custom.ts'
import { sentenceOf } from '../../../../adapters/http/openapi/issue-sentence.ts'
import { mailFailure } from '../../../../adapters/mail/failure.ts'
import { Failure } from '../../../../adapters/webhook-sender/failure.ts'
import { checkUrl } from '../../../../adapters/webhook-sender/check-url.ts'
import { z } from 'zod'
import { problemText } from '../../../../web/app/problem-text.ts'
import { problems as en } from '../../../../web/texts/en/problems.ts'
import { problems as vi } from '../../../../web/texts/vi/problems.ts'

const TARGETS = { allowPrivate: false, ownOrigins: ['https://baoco.example'] }

const thrownBy = (act: () => void): string => {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}
const issueOf = (schema: z.ZodType, value: unknown): string => sentenceOf(schema.safeParse(value).error!.issues[0]!)

describe('the text of a problem', () => {
  const url = (text: string) => `The URL ${checkUrl(text, TARGETS)}.`
  const template = (text: string) => `The template cannot be used: ${templateProblem(text)}.`
  const SENTENCES = [
    thrownBy(() => checkEmail('x')),
    thrownBy(() => checkPassword('x')),
    ...[
      'x',
      'http://shop.example',
      'https://me:x@shop.example',
      'https://baoco.example/x',
      'https://127.0.0.1/',
      'https://a../',
    ].map(url),
    ...[
      'x',
      '1',
      '{"a":"{{who}}"}',
      '{"a":"{{amount"}',
      '{"{{amount}}":1}',
      `{"a":"${'x'.repeat(5_000)}"}`,
      `[${'1'.repeat(20)}]`,
    ].map(template),
    issueOf(z.string().min(1), ''),
    issueOf(z.string().min(3), 'x'),
    issueOf(z.string().max(3), 'xxxxx'),
    issueOf(z.int().min(1), 0),
    issueOf(z.int().max(9), 10),
    issueOf(z.int(), 'x'),
    issueOf(z.string(), undefined),
    issueOf(z.enum(['POST', 'PUT']), 'GET'),
    issueOf(z.boolean(), 'x'),
    issueOf(z.array(z.string()), 'x'),
    issueOf(z.object({ limit: z.strictObject({}) }), { limit: 'x' }),
    issueOf(z.int().positive(), 0),
    issueOf(z.string(), null),
    issueOf(z.union([z.literal(0), z.literal(1)]), 2),
    mailFailure(new Failure('dns', 'The name mail.shop.example could not be resolved.')).message,
    mailFailure(new Failure('private_address', '10.0.0.1 is not a public address.')).message,
    ...['sent more than was asked for', 'sent a line that is longer than 256 KB', 'reports new mails all the time'].map(
      (what) => `The server ${what}.`,
    ),
  ]

  for (const sentence of SENTENCES)
    it(`is Vietnamese for “${sentence.slice(0, 80)}”`, () => {
      const text = problemText(vi, sentence)
      expect(text).not.to.equal(sentence)
      expect(text).not.to.match(/\b(the|must|is|not|expected)\b/i)
      expect(problemText(en, sentence)).to.equal(sentence)
    })

  it('contains the values of the sentence, and the answer of a mail server', () => {
    expect(problemText(vi, template('{"a":"{{who}}"}')))
      .to.include('{{who}}')
      .and.include('transaction_id')
    expect(problemText(vi, 'The server rejected the user name or the password. It says: $& $1 no')).to.equal(
      'Máy chủ không nhận tên đăng nhập hoặc mật khẩu. $& $1 no',
    )
    expect(problemText(vi, 'The server rejected the user name or the password.')).to.match(/mật khẩu\.$/)
  })

  it('says what to do on the dashboard about a paused mailbox, also of an earlier version', () => {
    const paused = 'The mailbox is paused. Check the server, then set the mail account active again.'
    expect(problemText(en, `The server closed the connection. ${paused}`)).to.equal(
      'The server closed the connection. The mailbox is paused. Check the server, then edit the mailbox and save it.',
    )
    for (const reason of ['follow the IMAP protocol', 'keep to the protocol (IMAP)'])
      expect(problemText(vi, `The server does not ${reason}. ${paused}`)).to.equal(
        'Máy chủ trả lời không đúng giao thức IMAP. Hộp thư đã bị tạm dừng. Hãy kiểm tra máy chủ, rồi bấm Sửa và lưu lại hộp thư.',
      )
  })

  it('is unchanged if no text is known for it', () =>
    expect(problemText(vi, 'Something new.')).to.equal('Something new.'))
})
