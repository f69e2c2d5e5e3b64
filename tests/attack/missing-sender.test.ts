/**
 * Attack: a text reaches Baoco without its sender, because the forwarder app left the field empty, sent its placeholder, or has no such
 * field. A stranger's SMS or chat can then pass for the bank's (decisions, "Trust", T1).
 */
import { expect } from 'chai'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { pairPhone } from '../integration/http/paired-phone.ts'

const FORM = 'application/x-www-form-urlencoded'
const SENDERS = '/api/account/trusted-senders'

/** Values that an app sends if the sender is unknown. */
const UNKNOWN: unknown[] = [
  '', '  ', '\t\n', '\u200b', '%a', '%from%', '%SMSRF', '%antitle()', '[x]', '[from]', '[[from]]', '{x}', '{not_title}', '{{sender}}',
  '{lv=sender}', '${from}', '%a %b', '({sms_number})', null, 0, 123, true, [], ['Vietcombank'], {}, { name: 'Vietcombank' },
] // prettier-ignore

const NAMES = ['sender', 'from', 'address', 'phoneNumber', 'sms_number', 'contact', 'SENDER']

describe('attack: a notification without its sender', () => {
  let api: ApiUnderTest
  let personal: string
  let device: string
  let number = 0

  const text = () => vietcombankText(++number, `DH${1000 + number}`)
  const owner = () => ({ key: api.owner.api_key })
  const atUrl = async (fields: object, query = '') =>
    (await api.ask('POST', personal + query, { json: { text: text(), ...fields } })).body.data
  const byDevice = async (kind: string, fields: object) =>
    (
      await api.ask('POST', `/api/receive/${kind}`, {
        json: { text: text(), ...fields },
        headers: { 'x-device-token': device },
      })
    ).body.data
  const refused = (answer: unknown, what: unknown) =>
    expect(answer, JSON.stringify(what))
      .to.be.an('object')
      .with.property('reason')
      .that.matches(/^unknown_(sender|app)$/)
  const accepted = (answer: unknown) => expect(answer).to.have.property('webhook_status')

  const untrusted = async (): Promise<string[]> => {
    const { body } = await api.ask('GET', '/api/notifications?status=ignored', owner())
    return (body.data as { untrusted_sender: string | null }[]).flatMap((row) => row.untrusted_sender ?? [])
  }

  before(async () => {
    api = await openApi({}, 'real')
    const { receive_token } = api.owner
    personal = `/api/receive/u/${receive_token}`
    device = await pairPhone(api)
  })
  after(() => api.close())

  it('is not a payment at the personal URL, and its list entry says what to do', async () => {
    for (const body of [text(), JSON.stringify({ text: text() }), `text=${encodeURIComponent(text())}`]) {
      const { body: answer } = await api.ask('POST', personal, { body })
      expect(answer.data).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    }
    const { body: byGet } = await api.ask('GET', `${personal}?text=${encodeURIComponent(text())}`)
    expect(byGet.data).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    const rows = await eventually(async () => {
      const { body } = await api.ask('GET', '/api/notifications', owner())
      return body.data.length === 4 && (body.data as { reason: string; advice: string }[])
    })
    for (const row of rows) {
      expect(row.reason).to.equal('unknown_sender')
      expect(row.advice).to.contain('?sender=').and.to.contain('without_sender')
    }
  })

  it('is not a payment from a paired phone', async () => {
    expect(await byDevice('sms', {})).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    expect(await byDevice('notification', {})).to.deep.equal({ ignored: true, reason: 'unknown_app' })
    const items = [{ type: 'sms', text: text() }, { type: 'notification', text: text() }, { text: text() }]
    const { body } = await api.ask('POST', '/api/receive/batch', {
      json: { items },
      headers: { 'x-device-token': device },
    })
    for (const answer of body.data) refused(answer, answer)
  })

  it('is not a payment if the given sender or package is unknown, even if the owner allows texts without a sender', async () => {
    for (const without_sender of [false, true]) {
      expect((await api.ask('PUT', SENDERS, { ...owner(), json: { without_sender } })).status).to.equal(200)
      for (const value of UNKNOWN) {
        for (const name of NAMES) refused(await atUrl({ [name]: value }), { [name]: value })
        refused(await atUrl({ package: value }), { package: value })
        refused(await byDevice('sms', { sender: value }), { sender: value })
        refused(await byDevice('notification', { package: value }), { package: value })
      }
      for (const value of ['', '%from%', '{x}', '[x]', '%a']) {
        refused(await atUrl({}, `?sender=${encodeURIComponent(value)}`), value)
        refused(await atUrl({ payload: { sender: value } }), value)
        refused(await atUrl({ app: value }), value)
        const form = new URLSearchParams({ text: text(), sender: value })
        const headers = { 'content-type': FORM }
        refused((await api.ask('POST', personal, { body: form.toString(), headers })).body.data, value)
      }
    }
    await api.ask('PUT', SENDERS, { ...owner(), json: { without_sender: false } })
    // The owner is not offered to trust a placeholder.
    expect(await untrusted()).to.deep.equal([])
  })

  it('names the unknown sender that its owner may trust, until it is trusted', async () => {
    refused(await atUrl({ sender: 'My Bank' }), 'My Bank')
    refused(await atUrl({ package: 'com.mybank', sender: '0912345678' }), 'com.mybank')
    await eventually(async () => (await untrusted()).join() === 'MYBANK')
    await api.ask('PUT', SENDERS, { ...owner(), json: { trusted_senders: ['MYBANK'] } })
    expect(await untrusted()).to.deep.equal([])
    accepted(await atUrl({ sender: 'My Bank' }))
    await api.ask('PUT', SENDERS, { ...owner(), json: { trusted_senders: [] } })
  })

  it('is not a payment if only a part of its origin is known', async () => {
    const mixtures: object[] = [
      { sender: '', package: 'com.VCB' },
      { sender: '%from%', package: 'com.VCB' },
      { sender: '+84912345678', package: 'com.VCB' },
      { sender: 'stranger@icloud.com', package: 'com.VCB' },
      { sender: 'Vietcombank', package: '' },
      { sender: 'Vietcombank', package: '%anpackage' },
      { sender: '', contact: 'Vietcombank' },
      { sender: 'Vietcombank', from: '{sms_number}' },
      { package: '{not_app_package}', type: 'com.VCB' },
      { package: 'com.google.android.apps.messaging', title: '' },
      { package: 'com.google.android.apps.messaging', title: '{not_title}', sender: 'Vietcombank' },
      { package: 'com.google.android.apps.messaging', title: 'Vietcombank', sender: '' },
      { title: 'Vietcombank' },
      { app: 'Zalo' },
    ]
    for (const mixture of mixtures) refused(await atUrl(mixture), mixture)
    refused(await atUrl({ sender: 'Vietcombank' }, '?sender=%20'), 'a blank one in the address')
    // The sender of JSON inside a string contradicts the one of the address.
    const nested = JSON.stringify({ from: '+84912345678', text: text() })
    const inForm = { body: `payload=${encodeURIComponent(nested)}`, headers: { 'content-type': FORM } }
    refused((await api.ask('POST', `${personal}?sender=Vietcombank`, inForm)).body.data, nested)
    // A message of which the app sends the text as the body, with the sender in the address.
    const message = { body: `text=${encodeURIComponent(text())}&package=com.VCB`, headers: { 'content-type': '' } }
    for (const sender of ['%2B84912345678', 'stranger@icloud.com'])
      refused((await api.ask('POST', `${personal}?sender=${sender}`, message)).body.data, sender)
  })

  it('is not a payment if its sender is the title that some app gave its notification', async () => {
    const stamps = { sentStamp: Date.now(), receivedStamp: Date.now() }
    const titled = { from: 'Vietcombank', sim: 'notification', ...stamps }
    refused(await atUrl(titled), titled)
    refused(await atUrl({ sim: 'notification', ...stamps }, '?sender=Vietcombank'), 'the rule names the sender')
    refused(await atUrl({ sim: 'notification', ...stamps }, '?package=com.VCB'), 'the rule names an app')
    const rows = await eventually(async () => {
      const { body } = await api.ask('GET', '/api/notifications', owner())
      const [newest] = body.data as { reason: string; advice: string; untrusted_sender: string | null }[]
      return newest?.reason === 'unknown_app' && newest
    })
    expect(rows.advice).to.contain('notification access')
    expect(rows.untrusted_sender).to.equal(null)
    accepted(await atUrl({ ...titled, sim: 'sim1' }))
    accepted(await atUrl({ ...titled, sim: 'undetected' }))
  })

  it('counts at the personal URL only if the owner allows that', async () => {
    expect((await api.ask('GET', SENDERS, owner())).body.data).to.deep.equal({
      trusted_senders: [],
      without_sender: false,
    })
    const allowed = await api.ask('PUT', SENDERS, { ...owner(), json: { without_sender: true } })
    expect(allowed.body.data).to.deep.equal({ trusted_senders: [], without_sender: true })
    const kept = await api.ask('PUT', SENDERS, { ...owner(), json: { trusted_senders: ['My Gateway'] } })
    expect(kept.body.data).to.deep.equal({ trusted_senders: ['My Gateway'], without_sender: true })
    accepted(await atUrl({}))
    accepted((await api.ask('POST', personal, { body: text() })).body.data)
    refused(await byDevice('sms', {}), 'a phone')
    await api.ask('PUT', SENDERS, { ...owner(), json: { trusted_senders: [], without_sender: false } })
    refused(await atUrl({}), 'no more')
    expect((await api.ask('PUT', SENDERS, { ...owner(), json: { without_sender: 'yes' } })).status).to.equal(400)
    expect((await api.ask('PUT', SENDERS, { ...owner(), json: { anything: true } })).status).to.equal(400)
  })

  it('does not affect notifications with a sender or an app', async () => {
    accepted(await atUrl({ sender: 'Vietcombank' }))
    accepted(await atUrl({}, '?sender=Vietcombank'))
    accepted(await atUrl({ package: 'com.VCB', title: '' }))
    accepted(await atUrl({ package: 'com.VCB', app: 'VCB Digibank', title: '{not_title}', sender: null }))
    accepted(await atUrl({ sender: 'Vietcombank', package: null, app: 'Messages' }))
    accepted(await byDevice('sms', { sender: 'Vietcombank' }))
    accepted(await byDevice('notification', { package: 'com.VCB' }))
    accepted(await byDevice('notification', { package: 'com.VCB', title: ' ' }))
  })
})
