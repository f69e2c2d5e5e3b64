/** From the receive path to the list, with nothing replaced. Each post of a forwarder about a payment becomes a transaction. */
import { expect } from 'chai'
import { notificationEvents } from '../../../domain/arrival/events.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import type { Answer } from './ask.ts'
import { pairPhone } from './paired-phone.ts'

describe('from the receive path to the list', () => {
  let api: ApiUnderTest
  let key: string
  let personal: string
  let device: string
  let number = 0

  const text = () => vietcombankText(++number, `DH${1000 + number}`)
  const post = (json: unknown): Promise<Answer> => api.ask('POST', personal, { json })
  const byDevice = (path: string, json: unknown) =>
    api.ask('POST', `/api/receive/${path}`, { json, headers: { 'x-device-token': device } })
  const shown = (id: number) =>
    eventually(async () => {
      const { status, body } = await api.ask('GET', `/api/transactions/${id}?include_raw=1`, { key })
      return status === 200 && body.data
    })

  before(async () => {
    api = await openApi({}, 'real')
    key = api.owner.api_key
    personal = `/api/receive/u/${api.owner.receive_token}`
    device = await pairPhone(api)
  })
  after(() => api.close())

  const bodies: [string, string, (text: string) => Promise<Answer>][] = [
    ['Incoming SMS to URL forwarder', 'sms', (text) => post({ from: 'Vietcombank', text, sentStamp: Date.now(), receivedStamp: Date.now(), sim: 'sim1' })],
    ['SmsForwarder', 'sms', (content) => api.ask('POST', personal, { body: new URLSearchParams({ from: 'Vietcombank', content, timestamp: String(Date.now()) }).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['SmsForwarder by GET', 'sms', (content) => api.ask('GET', `${personal}?${new URLSearchParams({ from: 'Vietcombank', content }).toString()}`)],
    ['SMS Gateway for Android', 'sms', (message) => post({ event: 'sms:received', payload: { message, phoneNumber: 'Vietcombank', receivedAt: new Date().toISOString() } })],
    ['httpSMS', 'sms', (content) => post({ specversion: '1.0', type: 'message.phone.received', data: { contact: 'Vietcombank', content, timestamp: new Date().toISOString() } })],
    ['sms2webhook', 'sms', (body) => post({ address: 'Vietcombank', date: Date.now(), body })],
    ['MacroDroid', 'notification', (text) => post({ packageName: 'com.VCB', title: 'VCB Digibank', text })],
    ['iOS Shortcuts', 'sms', (sms) => post({ sms, sender: 'Vietcombank' })],
    ['android-sms-hooks', 'sms', (body) => post({ body, from: 'Vietcombank', timestamp: Date.now() })],
    ['ForwardSMS, whose contact is not its sender', 'sms', (content) => post({ timestamp: new Date().toISOString(), content, sender: 'Vietcombank', contact: 'My bank' })],
    ['SMS Gateway for Android, newer', 'sms', (message) => post({ event: 'sms:received', payload: { message, sender: 'Vietcombank', recipient: '+84900000000', receivedAt: new Date().toISOString() } })],
    ['iOS message filter', 'sms', (sms) => post({ query: { sender: 'Vietcombank', message: { text: sms } }, app: { version: '1' }, _version: 1 })],
    ['SmsForwarder’s JSON template', 'sms', (org_content) => post({ from: 'Vietcombank', msg: `Vietcombank\n${org_content}\nSIM1`, org_content, title: '[title]' })],
    ['MacroDroid, with the text cut and unfolded', 'notification', (raw) => post({ packageName: 'com.VCB', title: '{not_title}', text: `${raw.slice(0, 30)}…`, raw })],
    ['a listener app', 'notification', (bigText) => post({ packageName: 'com.VCB', title: 'VCB', text: bigText.slice(0, 30), bigText, subText: '', postTime: Date.now(), id: 7 })],
    ['a listener app whose type is the package', 'notification', (body) => post({ type: 'com.VCB', body, timestamp: Date.now() })],
    ['a gateway with an event name', 'sms', (body) => post({ event: 'sms.received', type: 'sms.received', from: 'Vietcombank', body })],
    ['plain text that says it is JSON', 'sms', (text) => api.ask('POST', `${personal}?sender=Vietcombank`, { body: text, headers: { 'content-type': 'application/json' } })],
    ['plain text', 'sms', (text) => api.ask('POST', `${personal}?sender=Vietcombank`, { body: text })],
    ['curl without a content type of its own', 'sms', (text) => api.ask('POST', `${personal}?sender=Vietcombank`, { body: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['a device’s SMS', 'sms', (text) => byDevice('sms', { sender: 'Vietcombank', text, received_at: new Date().toISOString() })],
    ['a device’s push', 'notification', (text) => byDevice('notification', { package: 'com.VCB', title: 'VCB', text, received_at: new Date().toISOString() })],
  ] // prettier-ignore

  for (const [name, sourceType, send] of bodies) {
    it(name, async () => {
      const sent = text()
      const { status, body } = await send(sent)
      expect(status).to.equal(200)
      expect(body.data, JSON.stringify(body)).to.have.all.keys('id', 'webhook_status')
      expect(body.data.webhook_status).to.equal('no_match')
      const transaction = await shown(body.data.id)
      expect(transaction).to.include({
        bank_code: 'VCB', transaction_type: 'credit', amount: '150000.00', currency: 'VND', source_type: sourceType, order_id: `DH${1000 + number}`,
        description: sent, balance_after: `${1_000_000 + number}.00`,
      }) // prettier-ignore
      expect(transaction.raw_data).to.contain(`DH${1000 + number}`)
      expect(JSON.parse(transaction.raw_data)).to.be.an('object')
    })
  }

  it('accepts a batch, and recognises resends', async () => {
    const [one, two] = [text(), text()]
    const item = (text: string, received_at: string) => ({ type: 'sms', sender: 'Vietcombank', text, received_at })
    const items = [
      item(one, '2026-03-10T05:00:00Z'),
      item('', '2026-03-10T05:00:01Z'),
      item(two, '2026-03-10T05:00:02Z'),
    ]
    const first = (await byDevice('batch', { items })).body.data
    expect(first[1]).to.deep.equal({ ignored: true, reason: 'empty' })
    expect(first[0].id).not.to.equal(first[2].id)
    expect((await byDevice('batch', { items })).body.data).to.deep.equal(first)
  })

  it('ignores an SMS of an unknown sender and a notification of an unknown app', async () => {
    const ignored = async (json: object) => (await post({ ...json, text: text() })).body.data
    expect(await ignored({ sender: '+84987654321' })).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    expect(await ignored({ package: 'com.evil.app' })).to.deep.equal({ ignored: true, reason: 'unknown_app' })
    expect((await byDevice('notification', { text: text() })).body.data).to.deep.equal({
      ignored: true,
      reason: 'unknown_app',
    })
  })

  it('records heartbeats, test messages and overlong texts without making a transaction', async () => {
    expect((await post({ event: 'gateway.heartbeat' })).body.data).to.deep.equal({ ignored: true, reason: 'ping' })
    expect((await post({ from: '123456789', text: 'test message' })).body.data).to.deep.equal({
      ignored: true,
      reason: 'test_message',
    })
    expect((await post({ event: 'gateway.test' })).body.data).to.deep.equal({ ignored: true, reason: 'test_message' })
    expect((await post({ text: '{notification}' })).body.data).to.deep.equal({ ignored: true, reason: 'placeholder' })
    const long = `${personal}?text=${encodeURIComponent(text())}&more=${'a'.repeat(17_000)}`
    expect((await api.ask('GET', long)).body.data).to.deep.equal({ ignored: true, reason: 'too_long' })
    const [events] = await api.store.read([{ stream: `ignored-${api.owner.user_id}` }])
    const reasons = events!.map(({ data }) => notificationEvents.NotificationIgnored.parse(data).reason)
    expect(reasons).to.include.members([
      'ping',
      'test_message',
      'placeholder',
      'too_long',
      'unknown_sender',
      'unknown_app',
    ])
  })

  it('ignores hostile bodies with a reason', async () => {
    const deep = `{"text":"x y","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const headers = { 'content-type': 'application/json' }
    for (const [body, reason] of [
      [deep, 'too_long'],
      [`{"text":"${'ạ'.repeat(200_000)}"}`, 'unparsed'],
      ['\0\0\0', 'empty'],
      ['{"text":"\\u0000 +5 VND \\ud800"}', 'unparsed'],
      ['{"text":1e400}', 'unparsed'],
    ] as const) {
      const { body: answer } = await api.ask('POST', `${personal}?sender=Vietcombank`, { body, headers })
      expect(answer, body.slice(0, 40)).to.deep.equal({ success: true, data: { ignored: true, reason } })
    }
  })

  it('shows a transaction whose text contains characters that no column can store', async () => {
    const sent = text()
    const body = JSON.stringify({ text: `${sent} \0 \ud800`, sender: 'Vietcombank', '\0': '\0' })
    const taken = await api.ask('POST', personal, { body, headers: { 'content-type': 'application/json' } })
    const { description, raw_data } = await shown(taken.body.data.id)
    expect(description).to.equal(`${sent}  \ufffd`)
    expect(JSON.parse(raw_data)).to.include({ sender: 'Vietcombank' })
  })

  it('refuses the old personal URL after a rotation', async () => {
    await api.ask('POST', '/api/receive-url/rotate', { key })
    expect((await post({ text: text() })).status).to.equal(401)
  })
})
