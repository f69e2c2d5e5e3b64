import { expect } from 'chai'
import { headOf } from '../../../../adapters/mail/head.ts'
import { parseMail } from '../../../../adapters/mail/parse.ts'
import { authservIdsOf } from '../../../../domain/mail-trust/mail-providers.ts'
import { distrustMail } from '../../../../domain/mail-trust/mail-trust.ts'

const lines = (source: string) => headOf(Buffer.from(source)).lines.map(({ name, value }) => [name, value])
const rest = (source: string) => headOf(Buffer.from(source)).rest.toString()
const parsed = (source: string) => parseMail(Buffer.from(source), { uid: 1, received_at: null })

describe('the head of a mail', () => {
  for (const end of ['\r\n', '\n'])
    it(`is split into headers, which stay folded, with line end ${JSON.stringify(end)}`, () => {
      const source = ['From: a@b.vn', 'TO : c@d.vn,', '\te@f.vn', 'Subject: x', '', 'To: body'].join(end)
      expect(lines(source)).to.deep.equal([
        ['from', ' a@b.vn'],
        ['to', ` c@d.vn,${end}\te@f.vn`],
        ['subject', ' x'],
      ])
      expect(rest(source)).to.equal('subject: x\r\n\r\nTo: body')
    })

  it('may be the whole mail, or empty', () => {
    expect(lines('From: a@b.vn')).to.deep.equal([['from', ' a@b.vn']])
    expect(rest('From: a@b.vn')).to.equal('\r\n')
    expect(lines('\r\nFrom: a@b.vn')).to.deep.equal([])
    expect(lines('no header\r\n folded\r\n\r\nbody')).to.deep.equal([])
    expect(lines('')).to.deep.equal([])
  })

  it('is read without its last header and without a body if it does not end, because that header may be cut off', () => {
    const source = `From: a@b.vn\r\nTo: ${'x@y.vn, '.repeat(40_000)}\r\n\r\nbody`
    expect(lines(source)).to.deep.equal([['from', ' a@b.vn']])
    expect(rest(source)).to.equal('\r\n')
  })

  it('keeps headers of more than 8 KB from the mail parser', () => {
    expect(rest(`Subject: ${'x'.repeat(8 * 1024 - 1)}\r\n\r\nbody`)).to.match(/^subject: x+\r\n\r\nbody$/)
    expect(rest(`Subject: ${'x'.repeat(8 * 1024)}\r\n\r\nbody`)).to.equal('\r\nbody')
  })

  it('leaves texts, subject and date readable for the mail parser', async () => {
    const mail = await parsed(
      [
        'Date: Tue, 10 Mar 2026 05:00:00 +0000',
        'Subject: =?utf-8?B?VGjDtG5n?=\r\n =?utf-8?B?IGLDoW8=?=',
        'From: "B" <a@b.vn>',
        'To: c@d.vn',
        'Message-ID: <1@b.vn>',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('<p>Số dư</p>').toString('base64'),
      ].join('\r\n'),
    )
    expect(mail).to.deep.include({ from: 'a@b.vn', to: 'c@d.vn', subject: 'Thông báo', message_id: '<1@b.vn>' })
    expect(mail.date?.toISOString()).to.equal('2026-03-10T05:00:00.000Z')
    expect(mail.texts[0]).to.equal('<p>Số dư</p>')
  })

  it('has a date only if its header has one', async () => {
    expect((await parsed('From: a@b.vn\r\n\r\nx')).date).to.equal(null)
    for (const date of ['no date', '', 'Fri, 45 Feb 2026 05:00:00 +0000'])
      expect((await parsed(`From: a@b.vn\r\nDate: ${date}\r\n\r\nx`)).date, date).to.equal(null)
    for (const date of ['Tue, 10 Mar 2026 12:00:00 +0700 (ICT)', 'Tue,\r\n 10 Mar 2026 05:00:00 GMT'])
      expect((await parsed(`Date: ${date}\r\n\r\nx`)).date?.toISOString(), date).to.equal('2026-03-10T05:00:00.000Z')
  })

  it('has at most fifty headers of one name, each cut to 66 KB', async () => {
    const { headers } = await parsed(`${'To: c@d.vn\r\n'.repeat(60)}From: ${'x'.repeat(70_000)}\r\n\r\nx`)
    expect(headers.to).to.have.length(50)
    expect(headers.from[0]).to.have.length(66 * 1024)
  })

  it('has the date of its lowest header, which a signature covers first', async () => {
    const { date } = await parsed(
      'Date: Wed, 11 Mar 2026 05:00:00 +0000\r\nDate: Tue, 10 Mar 2026 05:00:00 +0000\r\n\r\nx',
    )
    expect(date?.toISOString()).to.equal('2026-03-10T05:00:00.000Z')
  })

  it('shows its sender as it is written if that is no address', async () => {
    expect((await parsed('From: The  bank\r\n\r\nx')).from).to.equal('The bank')
  })
})

/** As Fastmail delivers a mail: its results are divided among four headers, above its `Received`. */
const fastmailHead = (own: string, below: string): string =>
  [
    `Authentication-Results: ${own};`,
    '    x-csa=none;',
    '    x-ptr=pass smtp.helo=mx.acb.com.vn',
    '      policy.ptr=mx.acb.com.vn',
    `Authentication-Results: ${own};`,
    '    bimi=none (No BIMI records found)',
    `Authentication-Results: ${own};`,
    '    arc=none (no signatures found)',
    `Authentication-Results: ${own};`,
    '    dkim2=none (no signatures found);',
    '    dkim=pass (2048-bit rsa key sha256) header.d=acb.com.vn',
    '      header.i=@acb.com.vn header.b=ZMMr8Ob+ header.a=rsa-sha256',
    '      header.s=s1;',
    '    dmarc=pass policy.published-domain-policy=reject',
    '      policy.applied-disposition=none policy.evaluated-disposition=none',
    '      (p=reject,d=none,d.eval=none) policy.policy-from=p',
    '      header.from=acb.com.vn;',
    '    spf=pass smtp.mailfrom=mailalert@acb.com.vn',
    '      smtp.helo=mx.acb.com.vn',
    `Received: from mx.acb.com.vn by ${own} (Postfix) with ESMTPS id 281071EA00F1`,
    ...(below === '' ? [] : [`Authentication-Results: ${below}`]),
    'DKIM-Signature: v=1; a=rsa-sha256; d=acb.com.vn; s=s1; h=from:to:subject; bh=x; b=y',
    'From: mailalert@acb.com.vn',
    'To: shop@fastmail.com',
    '',
    'x',
  ].join('\r\n')

describe('the results of a mail’s signatures', () => {
  const shop = { email: 'shop@fastmail.com', authserv_ids: authservIdsOf('imap.fastmail.com', null) }
  const own = 'phl-mx-04.messagingengine.com'
  const reasonFor = async (source: string) => distrustMail((await parsed(source)).headers, shop)

  it('are found in any of the headers among which Fastmail divides them', async () => {
    expect(await reasonFor(fastmailHead(own, ''))).to.equal(null)
  })

  it('do not include a header of the sender, even under the id of the server', async () => {
    const forged = fastmailHead(own, `${own}; dkim=pass header.d=acb.com.vn`).replace(
      '    dkim=pass (',
      '    dkim=none (',
    )
    expect(await reasonFor(forged)).to.equal('unauthenticated_sender')
  })
})

describe('the texts of a mail', () => {
  it('do not include a blank one', async () => {
    const part = (type: string, text: string) => ['--B', `Content-Type: text/${type}`, '', text]
    const { texts } = await parsed(
      [
        'Content-Type: multipart/alternative; boundary=B',
        '',
        ...part('html', ' '),
        ...part('plain', 'So du'),
        '--B--',
        '',
      ].join('\r\n'),
    )
    expect(texts.map((text) => text.trim())).to.deep.equal(['So du'])
  })

  it('do not include a mail inside the mail', async () => {
    const { texts } = await parsed(
      [
        'Content-Type: multipart/mixed; boundary=B', '', '--B', 'Content-Type: text/plain', '', 'See below.', '--B',
        'Content-Type: message/rfc822', '', 'Subject: inner', 'Content-Type: text/plain', '', 'So du 550', '', '--B--', '',
      ].join('\r\n'),
    ) // prettier-ignore
    expect(texts.join()).to.contain('See below.').and.not.contain('550')
  })

  it('do not include a report on another mail', async () => {
    const { texts } = await parsed(
      [
        'Content-Type: multipart/report; report-type=delivery-status; boundary=B', '', '--B', 'Content-Type: text/plain', '',
        'Not delivered.', '--B', 'Content-Type: message/delivery-status', '', 'Diagnostic-Code: smtp; 550 Số dư', '', '--B--', '',
      ].join('\r\n'),
    ) // prettier-ignore
    expect(texts.join()).to.contain('Not delivered.').and.not.contain('550')
  })
})
