import { expect } from 'chai'
import { banks } from '../../../../domain/banks/index.ts'
import {
  bankName,
  bankNamedBy,
  bankOfDomain,
  bankSpokenOf,
  domainOf,
  packageIsTrusted,
  senderIsTrusted,
  senderOf,
} from '../../../../domain/banks/directory.ts'

describe('a bank', () => {
  it('trusts its own senders in any case and with blanks', () => {
    for (const sender of ['Vietcombank', 'VIETCOMBANK', 'Vietcom Bank'])
      expect(senderIsTrusted('VCB', sender, []), sender).to.equal(true)
  })

  it('does not trust a sender with a similar name', () => {
    for (const sender of ['VCBNeo', 'VietBank', 'VietinBank', 'VietABank', 'Vietcombank1', 'Vietcombankk', ''])
      expect(senderIsTrusted('VCB', sender, []), sender).to.equal(false)
    expect(senderIsTrusted('MB', 'MBV', [])).to.equal(false)
    expect(senderIsTrusted('SHB', 'SHINHANBANK', [])).to.equal(false)
  })

  it('accepts a sender that the user trusts', () => {
    expect(senderIsTrusted('VCB', '+84 912 345 678', ['+84912345678'])).to.equal(true)
    expect(senderIsTrusted('VCB', '+84912345679', ['+84912345678'])).to.equal(false)
  })

  it('trusts its own app by the exact package name', () => {
    expect(packageIsTrusted('VCB', 'com.VCB')).to.equal(true)
    expect(packageIsTrusted('VCB', 'com.vcb')).to.equal(false)
    expect(packageIsTrusted('VCB', 'com.mbmobile')).to.equal(false)
    expect(packageIsTrusted('VCB', 'com.google.android.apps.messaging')).to.equal(false)
  })

  it('is named by the sender in the title of an SMS app', () => {
    const shown = { text: 'x', title: 'MB Bank', package: 'com.samsung.android.messaging' }
    expect(senderOf(shown)).to.equal('MB Bank')
    expect(bankNamedBy(shown)?.code).to.equal('MB')
    expect(senderOf({ ...shown, package: 'com.VCB' })).to.equal(undefined)
  })

  it('shares no code, sender or package with another bank', () => {
    for (const names of [
      banks.map(({ code }) => code),
      banks.flatMap(({ senders }) => senders.map((sender) => sender.toUpperCase().replaceAll(' ', ''))),
      banks.flatMap(({ packages }) => packages),
    ])
      expect(new Set(names).size).to.equal(names.length)
    expect(bankName('BIDV')).to.equal('BIDV')
    expect(bankName('NOBANK')).to.equal(null)
  })
})

describe('the bank of a mail or text', () => {
  it('is taken from the domain of the address, not from the displayed name', () => {
    expect(domainOf('VCBDigibank <VCBDigibank@Info.Vietcombank.com.vn>')).to.equal('info.vietcombank.com.vn')
    expect(domainOf('"a@mbbank.com.vn" <b@example.com>')).to.equal('example.com')
    for (const none of ['', 'Vietcombank', 'a@b@c.vn', 'a@acb.com.vn, b@example.com', 'a@x.vn <>'])
      expect(domainOf(none), none).to.equal(null)
  })

  it('is found by its domain and subdomains', () => {
    expect(bankOfDomain('info.vietcombank.com.vn')?.code).to.equal('VCB')
    expect(bankOfDomain('ACB.com.vn')?.code).to.equal('ACB')
    for (const other of ['evilacb.com.vn', 'acb.com.vn.example.com', 'com.vn', ''])
      expect(bankOfDomain(other)).to.equal(null)
  })

  it('is found by the whole name at the beginning of a text', () => {
    for (const [text, code] of [
      ['(tpbank): 14/06/26', 'TPB'],
      ['ncb : 01/06/2018', 'NCB'],
      ['vietbank: tk 1', 'VIETBANK'],
      ['vietinbank:11/06/2018', 'CTG'],
      ['vietabank: tk 1', 'VAB'],
      ['pgbank: tk 1', 'PGB'],
      ['gpbank: tk 1', 'GPB'],
      ['vcbneo: tk 1', 'CBB'],
      ['mbv: tk 1', 'MBV'],
    ] as const)
      expect(bankSpokenOf(text)?.code, text).to.equal(code)
    for (const none of ['mbvcb.911', 'tk 0011 tai mb', 'shbvn: tk', 'ban nhan tu vietcombank: 5'])
      expect(bankSpokenOf(none)).to.equal(null)
  })
})
