/** Rules for single fields of a posted body that no app's whole body shows. */
import { expect } from 'chai'
import { arrivalOf } from '../../../../../adapters/http/receive/arrival.ts'
import { readPosted } from '../../../../../adapters/http/receive/posted-body.ts'
import { stampOf } from '../../../../../adapters/http/receive/stamp.ts'
import { shownOf } from '../../../../harness/accounts.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'
const FORM = 'application/x-www-form-urlencoded'
const AT = { credential: shownOf(1, 0), posted_as: null, arrived_at: new Date('2024-06-07T04:41:33Z') } as const

const sent = (body: string, type: string, query: Record<string, unknown> = {}) => {
  const { incoming, stamp, unsafe } = arrivalOf(readPosted(Buffer.from(body), type, query), AT)
  return { ...incoming, stamp: stamp?.toISOString(), unsafe }
}
const json = (body: unknown, query?: Record<string, unknown>) => sent(JSON.stringify(body), 'application/json', query)

describe('a field of a posted body', () => {
  it('is a package only if it is not a kind of event, and no sender is given', () => {
    for (const type of ['sms.received', 'android.provider.Telephony', 'com.app.posted'])
      expect(json({ type, text: TEXT })).not.to.have.property('package')
    expect(json({ type: 'com.VCB', text: TEXT })).to.have.property('package', 'com.VCB')
    expect(json({ app: 'My forwarder', text: TEXT })).to.have.property('package', '')
    expect(json({ app: 'My forwarder', sender: 'Vietcombank', text: TEXT })).not.to.have.property('package')
  })

  it('is given but unknown if it is null, and nothing else names an origin', () => {
    expect(json({ sender: null, text: TEXT })).to.have.property('sender', '')
    expect(json({ package: null, text: TEXT })).to.have.property('package', '')
    expect(json({ sender: null, package: 'com.VCB', text: TEXT })).not.to.have.property('sender')
  })

  it('is a sender beside the package of a bank’s app only if it may be the name of that app or bank', () => {
    for (const sender of ['VCB Digibank', 'Vietcombank', 'com.VCB', '3', '', 'Thông báo biến động số dư', '+ 20,000 ₫'])
      expect(json({ package: 'com.VCB', sender, text: TEXT }), sender).to.have.property('unsafe', undefined)
    for (const sender of ['Anh Minh', 'MB Bank', 'Minh 0901', '84901234567;'])
      expect(json({ package: 'com.VCB', sender, text: TEXT }), sender).to.have.property('unsafe', 'two_names')
    expect(json({ package: 'com.example', sender: 'Anh Minh', text: TEXT })).to.have.property('unsafe', undefined)
    for (const [name, sender] of [
      ['com.mbmobile', 'Nam Bui'],
      ['vn.com.ocb.awe', 'Ngoc Bich'],
      ['mobile.acb.com.vn', 'Bac Binh'],
    ])
      expect(json({ package: name, sender, text: TEXT }), sender).to.have.property('unsafe', 'two_names')
    for (const [name, sender] of [
      ['com.mbmobile', 'Ngân hàng MB'],
      ['com.vib.myvib2', 'MyVIB 2.0'],
      ['com.ncb.bank', 'NH Quoc Dan'],
    ])
      expect(json({ package: name, sender, text: TEXT }), sender).to.have.property('unsafe', undefined)
    const form = `package=com.VCB&from=Minh&text=${encodeURIComponent(TEXT)}`
    expect(sent(form, FORM)).to.have.property('unsafe', undefined)
  })

  it('counts as first given, if a second one has the same name', () => {
    expect(json({ text: TEXT, Text: `${TEXT} and more` })).to.include({ text: TEXT, unsafe: 'duplicate_key' })
    expect(sent(`{"from":"VCB,"text":"${TEXT}","text":"x"}`, 'application/json')).to.include({
      text: TEXT,
      unsafe: 'broken_json',
    })
  })

  it('is found in a list that has one item', () => {
    expect(json([{ sender: 'Vietcombank', text: TEXT }])).to.deep.include({ sender: 'Vietcombank', text: TEXT })
  })

  it('is the original message without the lines of an app, but only the whole one', () => {
    const text = `Vietcombank\n${TEXT}`
    expect(json({ orgcontent: TEXT, text: `${text}\nat 11:41` }).text).to.equal(TEXT)
    expect(json({ orgcontent: TEXT.slice(0, -2), text }).text).to.equal(text)
  })

  it('is a text that begins with a bracket, unless the content type says that it is JSON', () => {
    for (const text of [`[VCB] ${TEXT}`, `["VCB"] ${TEXT}`])
      expect(sent(text, '')).to.include({ text, unsafe: undefined })
    expect(sent(`[VCB] ${TEXT}`, 'application/json').unsafe).to.equal('broken_json')
  })

  it('is unsafe if the query has it twice, as a text that is not encoded may have added one', () => {
    const query = { text: TEXT, sender: ['Vietcombank', '+84912345678'] }
    expect(sent('', '', query)).to.include({ sender: 'Vietcombank', unsafe: 'duplicate_key' })
    expect(sent(`text=${encodeURIComponent(TEXT)}`, FORM, { sender: query.sender })).to.include({
      unsafe: 'duplicate_key',
    })
    expect(sent('', '', { text: TEXT, sender: ['Vietcombank', 'Vietcombank'] }).unsafe).to.equal(undefined)
  })

  it('is taken from the body of a known app only if the body has no other key', () => {
    const known = { packageName: 'com.VCB', title: 'VCB', text: TEXT, bigText: 'a text of its own', subText: '', postTime: 1_717_735_291_000, id: 7 } // prettier-ignore
    expect(json(known)).to.include({ text: TEXT, unsafe: undefined })
    expect(json({ ...known, note: 1 })).to.include({ text: TEXT, unsafe: 'two_names' })
  })

  it('is in doubt if the body has more texts with amounts than any app sends', () => {
    const parts = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`part${index}`, TEXT.slice(0, -1)]))
    expect(json({ text: TEXT, ...parts(20) }).unsafe).to.equal(undefined)
    expect(json({ text: TEXT, ...parts(21) }).unsafe).to.equal('two_names')
  })

  it('is in doubt if it is the memo of another text, or if a nested title is another text', () => {
    const memo = 'chuyen +500,000VND cho shop'
    expect(json({ text: memo, extra: `SD TK 0011 -20,000VND. Ref ${memo}` }).unsafe).to.equal('two_names')
    expect(json({ text: TEXT, ticker: `Vietcombank: ${TEXT}` }).unsafe).to.equal(undefined)
    const title = TEXT.replace('150,000', '950,000')
    expect(json({ text: TEXT, title }).unsafe).to.equal(undefined)
    expect(json({ text: TEXT, extras: { title } }).unsafe).to.equal('two_names')
  })

  it('of a form is in doubt if the query names another text', () => {
    const form = new URLSearchParams({ content: TEXT }).toString()
    const other = { text: TEXT.replace('150,000', '950,000') }
    expect(sent(form, 'application/x-www-form-urlencoded', other).unsafe).to.equal('two_names')
    expect(sent(form, 'application/x-www-form-urlencoded', { note: other.text }).unsafe).to.equal(undefined)
  })

  it('in JSON inside a text is not read if it is given twice, and its time counts only if no other is given', () => {
    const inner = { text: TEXT, timestamp: '2024-06-07T04:41:31Z' }
    expect(json({ text: JSON.stringify(inner) })).to.include({ text: TEXT, stamp: '2024-06-07T04:41:31.000Z' })
    expect(json({ text: JSON.stringify(inner), timestamp: '2024-06-07T05:00:00Z' }).stamp).to.equal(
      '2024-06-07T05:00:00.000Z',
    )
    const twice = JSON.stringify({ text: TEXT, body: TEXT.replace('150,000', '950,000') })
    expect(json({ text: twice }).text).to.equal(twice)
  })
})

describe('a body whose text is not found', () => {
  it('is the text as a whole if its JSON was broken and the text is blank, or the query may contain the text', () => {
    for (const broken of ['{"text":"  ",}', '["  ",]']) expect(sent(broken, 'application/json').text).to.equal(broken)
    expect(json({}, { note: 'hello' }).text).not.to.equal('')
    expect(json({}, { note: ' ' }).text).to.equal('')
  })
})

describe('the time of a phone', () => {
  it('is given in seconds, milliseconds, microseconds or nanoseconds, between 2000 and 2099', () => {
    const at = Date.UTC(2024, 5, 7, 4, 41, 31)
    for (const given of [at / 1_000, at, at * 1_000, at * 1e6, `${at / 1_000}`])
      expect(stampOf(given)?.getTime()).to.equal(at)
    expect(stampOf('2000-01-01T00:00:00Z')?.getTime()).to.equal(Date.UTC(2000, 0))
    for (const given of ['1999-12-31T23:59:59Z', '2100-01-01T00:00:00Z', 900_000_000])
      expect(stampOf(given)).to.equal(null)
  })

  it('may be ISO 8601 as databases and languages write it, or with a `+` that became a blank in an address', () => {
    for (const given of [
      '2024-06-07T11:41:31+0700',
      '2024-06-07T11:41:31+07',
      '2024-06-07 11:41:31',
      '2024-06-07 11:41:31+07:00',
      '2024-06-07 11:41:31.000000 +0700',
      '2024-06-07 04:41:31 UTC',
      '2024-06-06 23:41:31-05',
      '2024-06-07T11:41:31 07:00',
      '2024-06-07T04:41:31,000Z',
    ])
      expect(stampOf(given)?.toISOString(), given).to.equal('2024-06-07T04:41:31.000Z')
    expect(stampOf('2024-06-07 11:41 SD 1,150,000')).to.equal(null)
  })
})
