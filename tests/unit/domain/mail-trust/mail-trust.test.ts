import { expect } from 'chai'
import fc from 'fast-check'
import { parseAuthenticationResults } from '../../../../domain/mail-trust/authentication-results.ts'
import { addressesIn } from '../../../../domain/mail-trust/mail-address.ts'
import { authservIdsOf, joinedResults } from '../../../../domain/mail-trust/mail-providers.ts'
import { distrustMail, type Mailbox, type MailHeaders } from '../../../../domain/mail-trust/mail-trust.ts'

const SHOP: Mailbox = { email: 'shop@gmail.com', authserv_ids: ['mx.google.com'] }
const PASSED =
  'mx.google.com; dkim=pass header.i=@acb.com.vn header.s=s1 header.b=aB/c+d1=; spf=pass smtp.mailfrom=acb.com.vn'
const SIGNED = 'v=1; a=rsa-sha256; c=relaxed/relaxed; d=acb.com.vn; s=s1;\r\n h=From:To:Subject:Date; bh=x=; b=y'

const mail = (given: Partial<MailHeaders> = {}): MailHeaders => ({
  from: ['ACB <mailalert@acb.com.vn>'],
  to: ['"The shop" <Shop@Gmail.com>'],
  cc: [],
  authentication_results: [PASSED],
  dkim_signature: [SIGNED],
  in_reply_to: [],
  references: [],
  auto_submitted: [],
  ...given,
})
const isBelieved = (given: Partial<MailHeaders> = {}, mailbox = SHOP): boolean =>
  distrustMail(mail(given), mailbox) === null

describe('a mail of a bank', () => {
  it('is trusted if the bank signed it and addressed it to this mailbox', () => expect(isBelieved()).to.equal(true))
  it('is trusted if only Cc names this mailbox', () =>
    expect(
      isBelieved({
        to: ['accounts@example.com'],
        cc: ['shop@gmail.com'],
        dkim_signature: [SIGNED.replace('To:', 'To:Cc:')],
      }),
    ).to.equal(true))
  it('is trusted if it comes from a subdomain and the domain of the bank signed it', () =>
    expect(isBelieved({ from: ['alert@mail.acb.com.vn'] })).to.equal(true))
  it('is trusted if the provider writes header.d, folded and with comments', () =>
    expect(
      isBelieved({
        authentication_results: [
          'MX.Google.com 1 (it (really) is);\r\n\tspf=pass (google.com: domain of x) smtp.mailfrom=acb.com.vn;\r\n dkim/1 = Pass reason="good; dkim=fail" header.d=ACB.com.vn',
        ],
      }),
    ).to.equal(true))

  it('is trusted with ten signatures, and with two results', () =>
    expect(
      isBelieved({
        authentication_results: [`${PASSED}; dkim=pass header.d=com.vn header.i=@x.com.vn`],
        dkim_signature: Array<string>(10).fill(SIGNED),
      }),
    ).to.equal(true))

  it('is trusted if it was sent by a program and answers nothing', () =>
    expect(isBelieved({ auto_submitted: [' auto-generated'], in_reply_to: [' '], references: [''] })).to.equal(true))

  const forged: Record<string, [Partial<MailHeaders>, Mailbox?]> = {
    'without DKIM': [{ authentication_results: ['mx.google.com; spf=pass smtp.mailfrom=acb.com.vn; dmarc=pass header.from=acb.com.vn'] }],
    'without anything of the provider': [{ authentication_results: [] }],
    'with a signature that failed': [{ authentication_results: [PASSED.replace('dkim=pass', 'dkim=fail')] }],
    'with DKIM of another domain': [{ authentication_results: [PASSED.replace('@acb.com.vn', '@evil.example')] }],
    'with DKIM of a domain that ends alike': [{ authentication_results: [PASSED.replace('@acb.com.vn', '@fakeacb.com.vn')] }],
    'with DKIM of another bank': [{ authentication_results: [PASSED.replace('@acb.com.vn', '@timo.vn')] }],
    "with the sender's own header, under another id": [{ authentication_results: [PASSED.replace('mx.google.com', 'mx.acb.com.vn')] }],
    "with the sender's own header below the provider's": [{ authentication_results: ['mx.google.com; dkim=none', PASSED] }],
    'with a header that breaks out of a comment': [{ authentication_results: ['mx.google.com; spf=fail (dkim=pass header.d=acb.com.vn)'] }],
    'with a header that breaks out of a quote': [{ authentication_results: ['mx.google.com; spf=fail smtp.mailfrom="; dkim=pass header.d=acb.com.vn;"'] }],
    'with a header that is cut off': [{ authentication_results: ['mx.google.com; dkim=pass header.d=acb.com.vn (open'] }],
    'with a property named twice': [{ authentication_results: ['mx.google.com; dkim=pass header.d=acb.com.vn header.d=evil.example'] }],
    'where domain and identity differ': [{ authentication_results: ['mx.google.com; dkim=pass header.d=evil.example header.i=@acb.com.vn'] }],
    'a real mail to somebody else, sent on': [{ to: ['someone@else.example'] }],
    'a real mail to somebody else, with another To above': [{ to: ['shop@gmail.com', 'someone@else.example'] }],
    'a real mail whose signature leaves To out': [{ dkim_signature: [SIGNED.replace('To:', '')] }],
    'a mail whose signature leaves From out': [{ dkim_signature: [SIGNED.replace('From:', '')] }],
    'with a second signature of the same name': [{ dkim_signature: [SIGNED, SIGNED.replace('From:To:Subject', 'From:Subject')] }],
    'with a second signature that is malformed': [{ dkim_signature: [SIGNED, 'v=1; d=acb.com.vn; d=evil.example; h=From:To'] }],
    'with a signature over a part of the body': [{ dkim_signature: [`${SIGNED}; l=10`] }],
    'with no signature at all, whatever a header claims of one': [{ dkim_signature: [] }],
    "with a bank's name shown": [{ from: ['"ACB mailalert@acb.com.vn" <boss@evil.example>'] }],
    'from two at once': [{ from: ['mailalert@acb.com.vn, boss@evil.example'] }],
    'with a From header without an address beside it': [{ from: ['mailalert@acb.com.vn', 'ACB'], dkim_signature: [SIGNED.replace('From:', 'From:From:')] }],
    'with a result whose domain is none': [{ authentication_results: [`${PASSED}; dkim=pass header.d=vn header.i=@acb.com.vn`], dkim_signature: [SIGNED, SIGNED] }],
    'with more signatures than a mail has': [{ dkim_signature: Array<string>(11).fill(SIGNED) }],
    'with a signature of more than 16 KB': [{ dkim_signature: [`${SIGNED}; x=${'1'.repeat(16 * 1024)}`] }],
    'with two From headers': [{ from: ['mailalert@acb.com.vn', 'boss@evil.example'] }],
    'to a name that looks like this mailbox': [{ to: ['"shop@gmail.com" <someone@else.example>'] }],
    'to a comment that looks like it': [{ to: ['someone@else.example (shop@gmail.com)'] }],
    'an answer to a mail': [{ in_reply_to: ['<1@evil.example>'] }],
    'an answer in a conversation': [{ references: ['<1@evil.example>\r\n <2@evil.example>'] }],
    'an automatic answer': [{ auto_submitted: [' Auto-Replied; owner-email="a@b.vn"'] }],
    'in a mailbox whose provider is not known': [{}, { ...SHOP, authserv_ids: [] }],
    'in a mailbox of another provider': [{}, { ...SHOP, authserv_ids: ['mx.zohomail.com'] }],
  } // prettier-ignore
  for (const [what, [headers, mailbox]] of Object.entries(forged))
    it(`is not trusted: ${what}`, () => expect(isBelieved(headers, mailbox)).to.equal(false))

  it('is not trusted because of text that a sender places in values of the provider', () => {
    // A provider quotes text of a sender as a local part in a quoted string, or as a comment.
    const escaped = (text: string) => text.replace(/[\\"()]/g, '\\$&').replace(/[\r\n\0]/g, ' ')
    const pieces = fc.array(
      fc.constantFrom('; ', 'dkim=pass', ' header.d=acb.com.vn', '"', '(', ')', '\\', '=', '@', 'a', ' ', '\r\n ', ','),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = escaped(parts.join(''))
        const quoted = `mx.google.com; spf=pass smtp.mailfrom="${text}"@evil.example; dkim=none`
        const comment = `mx.google.com; spf=pass (${text}) smtp.mailfrom=evil.example; dkim=none`
        return !isBelieved({ authentication_results: [quoted] }) && !isBelieved({ authentication_results: [comment] })
      }),
      { numRuns: 2_000 },
    )
  })

  it('is not trusted with an incomplete header, and no header causes an exception', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200, unit: 'binary' }), fc.nat(PASSED.length - 1), (noise, at) => {
        for (const header of [noise, PASSED.slice(0, at) + noise]) {
          parseAuthenticationResults(header)
          addressesIn(header)
          isBelieved({ from: [header], to: [header], dkim_signature: [header], authentication_results: [header] })
        }
        const end = PASSED.indexOf(' header.s')
        return at >= end || !isBelieved({ authentication_results: [PASSED.slice(0, Math.min(at, end - 1))] })
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('an Authentication-Results header', () => {
  it('is parsed into its parts', () => {
    const { authserv_id, results } = parseAuthenticationResults(PASSED)!
    expect(authserv_id).to.equal('mx.google.com')
    expect(results.map(({ method, result }) => `${method}=${result}`)).to.deep.equal(['dkim=pass', 'spf=pass'])
    expect([...results[0]!.properties]).to.deep.equal([
      ['header.i', '@acb.com.vn'],
      ['header.s', 's1'],
      ['header.b', 'aB/c+d1='],
    ])
  })
  it('may have a hundred results, and quoted signatures beside a quoted address', () => {
    expect(parseAuthenticationResults(`a${'; dkim=pass'.repeat(100)}`)!.results).to.have.length(100)
    const quoted = 'a; dkim=pass header.d=x.vn header.b="aB+/="; spf=pass smtp.mailfrom="b+1-shop=gmail.com@x.vn"'
    expect(parseAuthenticationResults(quoted)!.results).to.have.length(2)
    expect(parseAuthenticationResults(`${quoted}; dmarc=pass reason="x"`)).to.equal(null)
  })
  it('may state that nothing was checked', () =>
    expect(parseAuthenticationResults('example.org 1; none')).to.deep.equal({
      authserv_id: 'example.org',
      results: [],
    }))
  for (const broken of [
    '',
    ';',
    'a b; dkim=pass',
    'a 2; dkim=pass',
    'a; dkim',
    'a; dkim=',
    'a; =pass',
    'a; dkim=pass x',
    'a; dkim=pass header.d=',
    'a; dkim=pass, b',
    'a; ; dkim=pass',
    'a; dkim=pass header.d=x.vn smtp.mailfrom=x.vn',
    'a; dkim=pass header.d=x"y".vn',
    'a; spf=pass (header.d=x.vn)',
    'a; spf=pass (dkim=pass)',
    `a${'; dkim=pass'.repeat(101)}`,
    `a; dkim=pass header.b=${'b'.repeat(16 * 1024)}`,
  ])
    it(`is rejected if it is ${broken.slice(0, 60) || 'empty'}`, () =>
      expect(parseAuthenticationResults(broken)).to.equal(null))
})

describe('the addresses in a header', () => {
  const cases: [string, string[]][] = [
    ['a@x.vn', ['a@x.vn']],
    ['A@X.vn, "b@y.vn" <c@z.vn> (d@w.vn)', ['a@x.vn', 'c@z.vn']],
    ['shops: a@x.vn, b@y.vn;', ['a@x.vn', 'b@y.vn']],
    ['"open <a@x.vn>', []],
    ['<a@x.vn> <b@y.vn>', []],
    ['"a"@x.vn', []],
    ['a(x)@x.vn, b@(x)y.vn', []],
    ['(x)a@x.vn(y), b@y.vn (x (y) "z)', ['a@x.vn', 'b@y.vn']],
    ['a@x.vn (open, b@y.vn', []],
    ['b\\(x, a@x.vn', []],
    ['<a@x.vn', []],
    ['<a@x.vn>>, <b@y.vn> c>', []],
    ['a@x.vn>', []],
    ['a\0@x.vn', []],
    [`${' '.repeat(65_536)}a@x.vn`, []],
  ]
  for (const [header, addresses] of cases)
    it(`are parsed from ${JSON.stringify(header.slice(0, 40))}`, () =>
      expect(addressesIn(header)).to.deep.equal(addresses))
})

describe("a mailbox provider's id", () => {
  it('is fixed for known providers', () =>
    expect(authservIdsOf('IMAP.gmail.com', 'evil.example')).to.deep.equal(['mx.google.com']))
  it('is set in the account for other providers', () =>
    expect(authservIdsOf('mail.example', 'MX.example')).to.deep.equal(['mx.example']))
  it('is any name of a server of Fastmail, and no name that only ends alike', () => {
    const fastmail: Mailbox = { ...SHOP, authserv_ids: authservIdsOf('imap.fastmail.com', null) }
    const results = (id: string) => ({ authentication_results: [PASSED.replace('mx.google.com', id)] })
    for (const id of ['mx3.messagingengine.com', 'phl-mx-04.messagingengine.com'])
      expect(isBelieved(results(id), fastmail), id).to.equal(true)
    for (const id of ['messagingengine.com', 'xmessagingengine.com', 'mx3.messagingengine.com.evil.example'])
      expect(isBelieved(results(id), fastmail), id).to.equal(false)
    // An account cannot set a whole domain.
    for (const own of ['.google.com', '.com'])
      expect(isBelieved({}, { ...SHOP, authserv_ids: authservIdsOf('mail.example', own) }), own).to.equal(false)
  })
  it('joins headers of Fastmail that are directly below each other, and no others', () => {
    const id = 'phl-mx-04.messagingengine.com'
    expect(joinedResults(` ${id};\r\n bimi=none`, ` ${id};\r\n dkim=pass`)).to.equal(
      ` ${id};\r\n bimi=none;\r\n dkim=pass`,
    )
    expect(joinedResults(`${id}; bimi=none`, 'phl-mx-05.messagingengine.com; dkim=pass')).to.equal(null)
    expect(joinedResults('mx.google.com; spf=pass', 'mx.google.com; dkim=pass')).to.equal(null)
    expect(joinedResults(`${id}; ${'x'.repeat(16 * 1024)}`, `${id}; dkim=pass`)).to.equal(null)
    expect(joinedResults(`${id}; bimi=none`, id)).to.equal(null)
  })
  it('is absent if the account does not set it', () => expect(authservIdsOf('mail.example', null)).to.deep.equal([]))
})
