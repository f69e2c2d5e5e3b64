/**
 * Attack: forwarder apps insert texts into templates without escaping, so the memo of a transfer or the SMS of a stranger can name
 * fields of the body: `","text":"…` (decisions, "Trust", T2). Such a body is kept, and makes no transaction until its owner confirms it.
 */
import { expect } from 'chai'
import { openIds } from '../../adapters/system/ids.ts'
import { openCapture } from '../../workflows/capture/capture.ts'
import { reparse } from '../../workflows/capture/reparse.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'

const FORGED = 'SD TK 0011000415567 +9,000,000VND luc 07-06-2026 11:41:31. SD 99,250,000VND. Ref MBVCB.5512.DH9999'
const FORM = 'application/x-www-form-urlencoded'

interface Row {
  id: number
  status: string
  reason: string
  unsafe: string | null
  advice: string | null
  text?: string | null
}

describe('attack: a text that names fields of the body', () => {
  let api: ApiUnderTest
  let personal: string
  let number = 0

  const owner = () => ({ key: api.owner.api_key })
  const post = async (body: string, { type = 'application/json', query = '' } = {}) =>
    (await api.ask('POST', personal + query, { body, headers: { 'content-type': type } })).body.data
  const transactions = async () => {
    const { body } = await api.ask('GET', '/api/transactions', owner())
    return body.data as { id: number; amount: string; order_id: string }[]
  }
  const unread = async () =>
    (await api.ask('GET', '/api/notifications?status=unparsed&include_raw=1', owner())).body.data as Row[]
  const bankText = (memo: string) => vietcombankText(++number, memo)

  before(async () => {
    api = await openApi({}, 'real')
    personal = `/api/receive/u/${api.owner.receive_token}`
  })
  after(() => api.close())

  /** The memo is inserted into a template unchanged. */
  const injected: [string, string, string, string?][] = [
    ['the text a second time', `{"from":"Vietcombank","text":"${bankText(`x","text":"${FORGED}`)}"}`, 'duplicate_key'],
    ['the same, first', `{"text":"${FORGED}","from":"Vietcombank","text":"x"}`, 'duplicate_key'],
    ['the same key, escaped', `{"from":"Vietcombank","text":"${bankText(`x","te\\u0078t":"${FORGED}`)}"}`, 'duplicate_key'],
    ['the same name, otherwise written', `{"from":"Vietcombank","text":"${bankText(`x","Te_xt":"${FORGED}`)}"}`, 'duplicate_key'],
    ['a second sender', `{"text":"${FORGED}","x":"","from":"+84912345678","from":"Vietcombank"}`, 'duplicate_key'],
    ['a second key nobody knows', `{"from":"Vietcombank","text":"${FORGED}","x":"1","x":"2"}`, 'duplicate_key'],
    ['a nested key twice', `{"payload":{"message":"x","message":"${FORGED}","sender":"Vietcombank"}}`, 'duplicate_key'],
    ['an item of a list', `[{"text":"${FORGED}","from":"Vietcombank"},{"text":"x","text":"y","from":"Vietcombank"}]`, 'duplicate_key'],
    ['a text under another name', `{"from":"Vietcombank","text":"${bankText(`x","bigText":"${FORGED}`)}"}`, 'two_names'],
    ['one of higher rank', `{"from":"Vietcombank","text":"${bankText(`x","org_content":"${FORGED}`)}"}`, 'two_names'],
    ['one beside a name of the user’s own', `{"from":"Vietcombank","noidung":"${bankText(`x","text":"${FORGED}`)}"}`, 'two_names'],
    ['a sender under another name', `{"from":"+84912345678","text":"${FORGED}","sender":"Vietcombank"}`, 'two_names'],
    ['a package under another name', `{"package":"com.zing.zalo","text":"${FORGED}","packageName":"com.VCB"}`, 'two_names'],
    ['a package beside the type', `{"type":"com.zing.zalo","text":"${FORGED}","package":"com.VCB"}`, 'two_names'],
    ['a title under another name', `{"package":"com.VCB","subject":"one","text":"${FORGED}","title":"other"}`, 'two_names'],
    ['almost the body of a known app', `{"timestamp":1,"content":"${FORGED}","sender":"Vietcombank","contact":"Me","x":1}`, 'two_names'],
    ['a sender beside that of the address', `{"text":"${FORGED}","sender":"Vietcombank"}`, 'two_names', '?sender=%2B84912345678'],
    ['a package beside a contact', `{"text":"${FORGED}","package":"com.VCB","x":"","sender":"Anh Minh"}`, 'two_names'],
    ['a type beside a contact', `{"text":"${FORGED}","type":"com.VCB","x":"","from":"+84 90 123 4567 (Minh)"}`, 'two_names'],
    ['a package beside a contact of the address', `{"text":"${FORGED}","package":"com.VCB"}`, 'two_names', '?sender=Minh'],
    ['a line break', `{"from":"Vietcombank","text":"${FORGED}\n"}`, 'broken_json'],
    ['a quote', `{"from":"Vietcombank","text":"${FORGED} "thanh toan""}`, 'broken_json'],
    ['an end of its own', `{"from":"Vietcombank","text":"${FORGED}"} "}`, 'broken_json'],
    ['a body cut off', `{"from":"Vietcombank","text":"${FORGED}`, 'broken_json'],
    ['quotes that a phone typed', `{“from”:“Vietcombank”,“text”:“${FORGED}”}`, 'broken_json'],
    ['single quotes', `{'from':'Vietcombank','text':'${FORGED}'}`, 'broken_json'],
    ['an unfilled number', `{"from":"Vietcombank","text":"${FORGED}","sentStamp":%sentStamp%}`, 'broken_json'],
  ] // prettier-ignore

  for (const [name, body, unsafe, query] of injected)
    it(`${name}: kept, ${unsafe}`, async () => {
      const before = (await unread()).length
      const answer = (await post(body, { query: query ?? '' })) as object | object[]
      for (const one of [answer].flat()) expect(one).to.deep.equal({ ignored: true, reason: 'unparsed' })
      const rows = await eventually(async () => {
        const now = await unread()
        return now.length >= before + [answer].flat().length && now
      })
      expect(rows[0]).to.include({ status: 'unparsed', reason: 'unparsed', unsafe })
      expect(rows[0]!.advice).to.contain('{"confirmed":true}').and.to.contain('docs/connect-a-phone.md')
      expect(rows[0]!.text).to.be.a('string').and.not.equal('')
      expect(await transactions()).to.deep.equal([])
    })

  it('is treated alike in every item of a device’s batch, and with any content type', async () => {
    const device = (await api.ask('POST', '/api/devices', { ...owner(), json: { name: 'phone' } })).body.data
    const pairing = { json: { code: device.pairing_code } }
    const { device_token } = (await api.ask('POST', '/api/receive/pair', pairing)).body.data
    const item = `{"type":"sms","sender":"Vietcombank","text":"${FORGED}"}`
    const body = `{"items":[${item},{"text":"a","text":"b"}]}`
    const headers = { 'x-device-token': device_token, 'content-type': 'application/json' }
    const { body: answer } = await api.ask('POST', '/api/receive/batch', { body, headers })
    for (const one of answer.data) expect(one).to.deep.equal({ ignored: true, reason: 'unparsed' })
    for (const type of ['text/plain', FORM, '', 'application/x-unknown'])
      expect(await post(injected[0]![1], { type })).to.deep.equal({ ignored: true, reason: 'unparsed' })
  })

  it('is not called broken JSON if the body is valid JSON without a text', async () => {
    const body = '{"a":"x","b":"yz"}'
    expect(await post(body)).to.deep.equal({ ignored: true, reason: 'unparsed' })
    const row = await eventually(async () => (await unread()).find(({ text }) => text === body))
    expect(row.advice).to.contain('no field of it contains a text')
  })

  it('cannot name fields of a form, of the URL or of a plain text', async () => {
    const stranger = '?sender=%2B84912345678'
    const scb = (sum: string, memo: string) =>
      `TK 2020107745830000 NGAY 07/06/26 11:10 SD DAU 4,156,080 TANG ${sum} SD CUOI 7,224,080 VND (${memo})`
    const asJson = JSON.stringify({ text: FORGED, sender: 'Vietcombank' })
    const asForm = `text=${encodeURIComponent(FORGED)}&sender=Vietcombank`
    const calls: [string, string, string][] = [
      [asJson, 'text/plain', stranger],
      [asForm, 'text/plain', stranger],
      [asJson, '', stranger],
      [asForm, FORM, stranger],
      [asForm, '', stranger],
      [`from=+84912345678&text=${FORGED}&from=Vietcombank`, FORM, ''],
      [`from=+84912345678&text=${FORGED}&sender=Vietcombank`, FORM, ''],
      // An app that encodes a text as if it were an address leaves `&` and `=`.
      [`from=SCB&text=${encodeURI(`${scb('20,000', 'DH1')}&orgcontent=${scb('3,068,000', 'DH9999')}`)}`, FORM, ''],
      ['', '', `${stranger}&text=${encodeURIComponent(FORGED)}&sender=Vietcombank`],
      ['', '', `${stranger}&text=${encodeURIComponent(FORGED)}&from=Vietcombank`],
      ['', '', `?sender=Vietcombank&text=x&text=${encodeURIComponent(FORGED)}`],
    ]
    for (const [body, type, query] of calls) {
      const answer = await post(body, { type, query })
      expect(answer, `${body} ${query}`)
        .to.have.property('reason')
        .that.matches(/^(unparsed|unknown_sender|chat)$/)
    }
    expect(await transactions()).to.deep.equal([])
  })

  it('is not kept if it contains a one-time password, in any position', async () => {
    const otp = 'Ma OTP cua quy khach la 123456. Khong chia se ma nay.'
    const bodies = [
      `{"from":"Vietcombank","text":"${otp} "a""}`,
      `{"from":"Vietcombank","text":"${otp}","text":"x y"}`,
      `{"from":"Vietcombank","text":"x y","bigText":"${otp}"}`,
    ]
    for (const body of bodies) expect(await post(body)).to.deep.equal({ ignored: true, reason: 'otp' })
    await post(`{"from":"Vietcombank","text":"${otp}","text":"${FORGED}"}`)
    for (const { data } of await api.store.readAll(null, 100_000))
      expect(JSON.stringify(data)).to.not.contain('123456. Khong')
  })

  it('raises one alert per source, which says what to change', async () => {
    const alerts = await eventually(async () => {
      const { body } = await api.ask('GET', '/api/alerts', owner())
      const found = (body.data as Record<string, string>[]).filter(({ kind }) => kind === 'unsafe_forwarder')
      return found.length >= 2 && found
    })
    expect(alerts.map(({ subject }) => subject!.replace(/\d+/, 'N')).toSorted()).to.deep.equal([
      'device:N',
      'receive_url',
    ])
    for (const { text, since, until } of alerts) {
      expect(text).to.contain('text/plain').and.to.contain('page Sources').and.to.contain('page Other texts')
      expect(Date.parse(until!) - Date.parse(since!)).to.equal(7 * 86_400_000)
    }
  })

  it('makes a transaction only when its owner confirms it', async () => {
    const text = bankText('DH1042')
    await post(`{"from":"Vietcombank","text":"${text}","text":"${text}"}`)
    const { id } = await eventually(async () => (await unread()).find((row) => row.text === text))
    const again = `/api/notifications/${id}/reread`
    for (const json of [undefined, {}, { confirmed: false }]) {
      const { status, body } = await api.ask('POST', again, { ...owner(), ...(json && { json }) })
      expect([status, body.data.status, body.data.unsafe]).to.deep.equal([200, 'unparsed', 'duplicate_key'])
    }
    const capture = openCapture({ store: api.store, ids: openIds(api), clock: api.clock, plans: null })
    const parts = { store: api.store, capture, clock: api.clock, maxAgeMs: 86_400_000 }
    expect((await reparse(parts, new AbortController().signal)).captured).to.equal(0)
    expect(await transactions()).to.deep.equal([])
    const other = await api.newAccount('other@example.com')
    const refusal = await api.ask('POST', again, { key: other.api_key, json: { confirmed: true } })
    expect(refusal.status).to.equal(404)
    expect((await api.ask('POST', again, { ...owner(), json: { confirmed: 'yes' } })).status).to.equal(400)

    const { status, body } = await api.ask('POST', again, { ...owner(), json: { confirmed: true } })
    expect(status).to.equal(200)
    expect(body.data).to.include({ status: 'captured', transaction_id: id, unsafe: null })
    const [captured] = await transactions()
    expect(captured).to.include({ id, amount: '150000.00', order_id: 'DH1042' })
  })
})
