/** Posts that forwarder apps send by default, and posts from templates that their users write. */
import { expect } from 'chai'
import { arrivalOf } from '../../../../../adapters/http/receive/arrival.ts'
import { readPosted, TooMuchPosted } from '../../../../../adapters/http/receive/posted-body.ts'
import { shownOf } from '../../../../harness/accounts.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'
const JSON_TYPE = 'application/json; charset=utf-8'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const arrive = async (body: string | Buffer, type: string, query: Record<string, unknown> = {}) => {
  const posted = readPosted(Buffer.from(body), type, query)
  const arrival = arrivalOf(posted, {
    credential: shownOf(1, 0),
    posted_as: null,
    arrived_at: new Date('2024-06-07T04:41:33Z'),
  })
  const { incoming, stamp, raw, unsafe = null } = arrival
  return { ...incoming, stamp: stamp?.toISOString() ?? null, raw, unsafe }
}

interface Case {
  name: string
  body: string
  type?: string
  query?: Record<string, unknown>
  is: { text?: string; sender?: string; package?: string; title?: string; stamp?: string | null }
  /** The reason if the text is unsafe. */
  unsafe?: string
}

const STAMP = '2024-06-07T04:41:31.000Z'
const MS = Date.parse(STAMP)

/** An SMS as a program escapes it for a string. */
const NESTED = JSON.stringify({ sender: 'Vietcombank', text: TEXT, timestamp: MS })

const CASES: Case[] = [
  {
    name: 'Incoming SMS to URL forwarder',
    body: `{\n  "from":"Vietcombank",\n  "text":${JSON.stringify(TEXT)},\n  "sentStamp":${MS - 5000},\n  "receivedStamp":${MS},\n  "sim":"sim1"\n}`,
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'the same with quoted stamps, as its README shows them',
    body: `{"from":"Vietcombank","text":"${TEXT}","sentStamp":"${MS}","receivedStamp":"${MS}","sim":"sim1"}`,
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'the same of an old version that does not fill its stamps',
    body: `{"from":"Vietcombank","text":"${TEXT}","sentStamp":%sentStamp%,"receivedStamp":%receivedStamp%,"sim":"%sim%"}`,
    is: { sender: 'Vietcombank', stamp: null },
    unsafe: 'broken_json',
  },
  {
    name: 'SmsForwarder, form',
    body: new URLSearchParams({ from: 'Vietcombank', content: TEXT, timestamp: String(MS), sign: 'q83v%3D' }).toString(),
    type: FORM_TYPE,
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'SmsForwarder, JSON template with lines around the content, and the original',
    body: JSON.stringify({ from: 'Vietcombank', msg: `Vietcombank\n${TEXT}\nSIM1`, org_content: TEXT, title: '[title]' }),
    is: { sender: 'Vietcombank', title: '' },
  },
  {
    name: 'SmsForwarder by GET',
    body: '',
    type: '',
    query: { from: 'Vietcombank', content: TEXT, timestamp: String(MS) },
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'a time whose offset is not encoded in the query',
    body: '',
    type: '',
    query: { from: 'Vietcombank', content: TEXT, timestamp: '2024-06-07T11:41:31 07:00' },
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'SMS Gateway for Android',
    body: JSON.stringify({
      deviceId: 'ffffffffceb0b1db', event: 'sms:received', id: 'Ey6ECgOkVVFjz3CL48B8C', webhookId: 'LreFUt-Z3sSq0JufY9uWB',
      payload: { messageId: 'abc123', message: TEXT, phoneNumber: 'Vietcombank', simNumber: 1, receivedAt: '2024-06-07T11:41:31.000+07:00' },
    }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'SMS Gateway for Android, newer, names sender and recipient',
    body: JSON.stringify({
      event: 'sms:received',
      payload: { messageId: 'abc123', message: TEXT, sender: 'Vietcombank', recipient: '+84900000000', receivedAt: STAMP },
    }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'httpSMS, a CloudEvent whose type is no package',
    body: JSON.stringify({
      specversion: '1.0', id: '1', source: '/v1/messages/receive', type: 'message.phone.received', datacontenttype: 'application/json', time: STAMP,
      data: { message_id: '1', user_id: 'u', owner: '+84900000000', contact: 'Vietcombank', timestamp: STAMP, content: TEXT, sim: 'SIM1' },
    }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'android-sms-hooks',
    body: JSON.stringify({ body: TEXT, from: 'Vietcombank', timestamp: MS }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'sms2webhook',
    body: JSON.stringify({ _id: 5, thread_id: 3, address: 'Vietcombank', date: MS, date_sent: MS, body: TEXT, sub_id: 1 }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'ForwardSMS (iOS)',
    body: JSON.stringify({ timestamp: STAMP, content: TEXT, sender: 'Vietcombank', contact: 'Bank' }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'MacroDroid, the cut text yields to the big one',
    body: JSON.stringify({ packageName: 'com.VCB', title: 'VCB Digibank', text: 'SD TK 0011000415567 +150,…', raw: TEXT }),
    is: { package: 'com.VCB', title: 'VCB Digibank' },
  },
  {
    name: 'MacroDroid with only text and its own name',
    body: JSON.stringify({ text: TEXT, source: 'MacroDroid Android' }),
    is: {},
  },
  {
    name: 'MacroDroid with title and body and an unfilled placeholder',
    body: JSON.stringify({ title: '{not_title}', body: TEXT, apiKey: 'abc', package: '{not_app_package}' }),
    is: { package: '', title: '' },
  },
  {
    name: 'Tasker with AutoNotification, unresolved variables',
    body: JSON.stringify({ text: TEXT, title: '%antitle', package: 'com.VCB', app: '%anapp' }),
    is: { package: 'com.VCB', title: '' },
  },
  {
    name: 'MacroDroid, as guides for its SMS trigger write it',
    body: JSON.stringify({ sms_text: TEXT, sender_number: 'Vietcombank', timestamp: String(MS), device_id: 'my old phone' }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'FilterBox, the names of Android',
    body: JSON.stringify({
      'android.title': 'VCB', 'android.text': TEXT.slice(0, 40), 'android.bigText': TEXT, 'android.subText': null,
      'filterbox.field.PACKAGE_NAME': 'com.VCB', 'filterbox.field.APP_NAME': 'VCB Digibank', 'filterbox.field.WHEN': MS,
    }),
    is: { package: 'com.VCB', title: 'VCB', stamp: STAMP },
  },
  {
    name: 'IFTTT, the names of its SMS trigger',
    body: JSON.stringify({ FromNumber: 'Vietcombank', Text: TEXT, ContactName: '', ReceivedAt: 'June 7, 2024 at 11:41AM' }),
    is: { sender: 'Vietcombank', stamp: null },
  },
  {
    name: 'Zapier, its fields inside data',
    body: JSON.stringify({ data: { sender: 'Vietcombank', text: TEXT, timestamp: STAMP } }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'Zapier, its fields inside data, as a form',
    body: new URLSearchParams({ 'data[sender]': 'Vietcombank', 'data[text]': TEXT, 'data[timestamp]': STAMP }).toString(),
    type: FORM_TYPE,
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'a form that is not encoded, with a field inside data',
    body: `data[sender]=Vietcombank&data[text]=${TEXT} A&B`,
    is: { text: `${TEXT} A&B`, sender: 'Vietcombank' },
  },
  {
    name: 'a form that is not encoded, whose text has a second sender',
    body: `data[sender]=%2B84912345678&data[text]=${TEXT}&data[sender]=Vietcombank`,
    is: { sender: '+84912345678' },
    unsafe: 'duplicate_key',
  },
  {
    name: 'a form that is not encoded, whose text has a sender inside data',
    body: `sender=%2B84912345678&text=${TEXT}&data[sender]=Vietcombank`,
    is: { sender: '' },
    unsafe: 'two_names',
  },
  {
    name: 'a listener app that names the time postedAt',
    body: JSON.stringify({ packageName: 'com.VCB', appName: 'VCB Digibank', postedAt: MS, title: 'VCB', text: TEXT, bigText: TEXT }),
    is: { package: 'com.VCB', title: 'VCB', stamp: STAMP },
  },
  {
    name: 'SMSMobileAPI, which names its time time_received',
    body: JSON.stringify({ date: '2024-06-07', hour: '11:41:31', time_received: '2024-06-07 11:41:31', message: TEXT, number: 'Vietcombank' }),
    is: { sender: 'Vietcombank', stamp: STAMP },
  },
  {
    name: 'two senders that differ, one of them under a nested name',
    body: JSON.stringify({ sender: '+84912345678', data: { sender: 'Vietcombank', text: TEXT } }),
    is: { sender: '' },
    unsafe: 'two_names',
  },
  { name: 'iOS Shortcuts with keys of its own', body: JSON.stringify({ sms: TEXT, sender: 'SCB' }), is: { sender: 'SCB' } },
  {
    name: "an iOS message filter's query",
    body: JSON.stringify({ query: { sender: 'techcombank', message: { text: TEXT } }, app: { version: '1' }, _version: 1 }),
    is: { sender: 'techcombank' },
  },
  {
    name: 'a listener app that sends text and bigText',
    body: JSON.stringify({ packageName: 'com.VCB', title: 'VCB', text: TEXT.slice(0, 40), bigText: TEXT, subText: '', postTime: MS, id: 7 }),
    is: { package: 'com.VCB', title: 'VCB', stamp: STAMP },
  },
  {
    name: 'a listener app whose type is the package',
    body: JSON.stringify({ type: 'com.VCB', body: TEXT, timestamp: MS }),
    is: { package: 'com.VCB', stamp: STAMP },
  },
  {
    name: 'a gateway with an event name',
    body: JSON.stringify({ event: 'notification.received', packageName: 'com.VCB', appName: 'VCB Digibank', title: 'VCB', body: TEXT }),
    is: { package: 'com.VCB', title: 'VCB' },
  },
  { name: "a gateway's sign of life", body: JSON.stringify({ event: 'gateway.heartbeat', device: 'Pixel 7 Pro' }), is: { text: 'heartbeat' } },
  { name: "a gateway's test without a text", body: JSON.stringify({ event: 'gateway.test', device: 'Pixel-7' }), is: { text: 'test' } },
  { name: "a gateway's test with a text", body: JSON.stringify({ event: 'gateway.test', message: TEXT }), is: {} },
  { name: 'lines', body: JSON.stringify({ textLines: ['+150,000 VND', 'DH1042'] }), is: { text: '+150,000 VND\nDH1042' } },
  { name: 'a key nobody knows', body: JSON.stringify({ id: 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz', tin: TEXT }), is: {} },
  { name: 'plain text', body: TEXT, type: 'text/plain', is: {} },
  { name: 'plain text, the rest in the query', body: TEXT, type: 'text/plain', query: { sender: 'VCB' }, is: { sender: 'VCB' } },
  { name: 'plain text that says it is a form', body: TEXT, type: FORM_TYPE, is: {} },
  { name: 'plain text that says it is JSON', body: TEXT, type: JSON_TYPE, is: {} },
  { name: 'JSON that says it is plain text', body: JSON.stringify({ text: TEXT }), type: 'text/plain', is: {} },
  { name: 'JSON that says it is a form', body: JSON.stringify({ text: TEXT }), type: FORM_TYPE, is: {} },
  { name: 'a form that says nothing', body: `content=${encodeURIComponent(TEXT)}`, type: '', is: {} },
  { name: 'a form nobody encoded keeps its plus', body: `text=${TEXT}`, type: FORM_TYPE, is: {} },
  { name: 'a JSON string', body: JSON.stringify(TEXT), is: {} },
  { name: 'JSON in a field of a form, the sender in the query', body: new URLSearchParams({ payload: NESTED }).toString(), type: FORM_TYPE, query: { sender: 'VIETCOMBANK' }, is: { sender: 'VIETCOMBANK', stamp: STAMP } },
  { name: 'JSON in a field of JSON, the sender in the query', body: JSON.stringify({ data: NESTED }), query: { sender: 'Vietcombank' }, is: { sender: 'Vietcombank', stamp: STAMP } },
  { name: 'JSON encoded twice, the sender in the query', body: JSON.stringify(NESTED), query: { sender: 'Vietcombank' }, is: { sender: 'Vietcombank', stamp: STAMP } },
  { name: 'JSON encoded twice, whose sender may be a stranger\u2019s text', body: JSON.stringify(NESTED), is: { sender: '', stamp: STAMP } },
  { name: 'JSON encoded twice, with another sender', body: JSON.stringify(NESTED), query: { sender: '+84912345678' }, is: { sender: '', stamp: STAMP } },
  { name: 'JSON encoded twice, with another app', body: JSON.stringify(JSON.stringify({ package: 'com.zing.zalo', text: TEXT })), query: { package: 'com.VCB' }, is: { package: '' } },
  { name: 'JSON encoded twice that names a text twice', body: JSON.stringify(`{"text":${JSON.stringify(TEXT)},"text":"x y"}`), is: { text: `{"text":${JSON.stringify(TEXT)},"text":"x y"}` } },
  { name: 'a list of one', body: JSON.stringify([{ text: TEXT }]), is: {} },
  { name: 'a byte order mark', body: `\ufeff${JSON.stringify({ text: TEXT })}`, is: {} },
  { name: 'raw line breaks and tabs inside a JSON string', body: `{"text":"+150,000 VND\n\tDH1042"}`, is: { text: '+150,000 VND\n\tDH1042' }, unsafe: 'broken_json' },
  { name: 'raw quotes inside a JSON string', body: `{"title":"VCB","text":"ND "thanh toan" DH1042","sender":"VCB"}`, is: { text: 'ND "thanh toan" DH1042', sender: 'VCB', title: 'VCB' }, unsafe: 'broken_json' },
  { name: 'nothing but a placeholder is left for the reader', body: JSON.stringify({ text: '{notification}' }), is: { text: '{notification}' } },
  { name: 'nothing at all', body: '', type: '', is: { text: '' } },
  { name: 'an empty text', body: JSON.stringify({ text: '', device: 'my old phone' }), is: { text: '' } },
  { name: 'NUL characters', body: JSON.stringify({ text: `\0${TEXT}\0`, sender: 'V\0CB' }), is: { sender: 'VCB' } },
  { name: 'half a surrogate pair', body: '{"text":"+5 \\ud800 VND"}', is: { text: '+5 \ufffd VND' } },
  { name: 'names of the prototype', body: `{"__proto__":{"text":"x y"},"constructor":"a b","text":${JSON.stringify(TEXT)}}`, is: {} },
  { name: 'a number that is not a number', body: `{"text":${JSON.stringify(TEXT)},"timestamp":1e400}`, is: { stamp: null } },
  { name: 'seconds', body: JSON.stringify({ text: TEXT, time: MS / 1000 }), is: { stamp: STAMP } },
  { name: "the phone's wall clock", body: JSON.stringify({ text: TEXT, date: '2024-06-07 11:41:31' }), is: { stamp: STAMP } },
  { name: 'a year that cannot be', body: JSON.stringify({ text: TEXT, timestamp: 42 }), is: { stamp: null } },
] // prettier-ignore

describe('a post of a forwarder app is read', () => {
  for (const { name, body, type = JSON_TYPE, query, is, unsafe = null } of CASES) {
    it(`correctly: ${name}`, async () => {
      const { text, stamp, raw, unsafe: found, ...rest } = await arrive(body, type, query)
      const { text: expected = TEXT, stamp: expectedStamp = null, ...others } = is
      expect(text).to.equal(expected)
      expect(rest).to.deep.equal(others)
      expect(stamp).to.equal(expectedStamp)
      expect(found, 'unsafe').to.equal(unsafe)
      expect(() => JSON.parse(raw) as unknown, 'raw_data is JSON').not.to.throw()
      expect(raw).not.to.include('\0')
    })
  }

  it('if it is multipart with a field and a file', async () => {
    const form = new FormData()
    form.set('sender', 'Vietcombank')
    form.set('text', new File([TEXT], 'sms.txt'))
    const request = new Request('http://x/', { method: 'POST', body: form })
    const arrived = await arrive(Buffer.from(await request.arrayBuffer()), request.headers.get('content-type')!)
    expect(arrived).to.include({ text: TEXT, sender: 'Vietcombank' })
  })

  it('as a text if it is declared as multipart but is not', async () => {
    expect((await arrive(TEXT, 'multipart/form-data; boundary=x')).text).to.equal(TEXT)
  })

  it('if it is UTF-16 with a byte order mark, or contains bytes that are not UTF-8', async () => {
    expect((await arrive(Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'text/plain')).text).to.equal(TEXT)
    expect((await arrive(Buffer.from([0x2b, 0x35, 0xff]), 'text/plain')).text).to.equal('+5\ufffd')
  })

  it('if its content type names UTF-16, with or without letters outside ASCII', async () => {
    const body = (text: string) => Buffer.from(JSON.stringify({ from: 'Vietcombank', text }), 'utf16le')
    for (const text of [TEXT, `${TEXT} đơn hàng`]) {
      const expected = { text, sender: 'Vietcombank', unsafe: null }
      expect(await arrive(body(text), 'application/json; charset=utf-16')).to.include(expected)
      expect(await arrive(body(text).swap16(), 'application/json; charset=utf-16be')).to.include(expected)
    }
    const utf8 = JSON.stringify({ from: 'Vietcombank', text: TEXT })
    expect((await arrive(utf8, 'application/json; charset=utf-16')).text).to.equal(TEXT)
  })

  it('with its body kept unchanged if it is JSON', async () => {
    const body = `{ "text" : ${JSON.stringify(TEXT)}, "timestamp": 1717735291000.0 }`
    expect((await arrive(body, JSON_TYPE)).raw).to.equal(body)
  })

  it('or refused within a bounded time, even for a hostile body', async () => {
    const million = 1_000_000
    const hostile: [string, string][] = [
      [`{"${'\\"'.repeat(million)}`, JSON_TYPE],
      [`{${'"a":"'.repeat(1_500)}`, JSON_TYPE],
      [`{"a":"${' "b" '.repeat(1_500)}`, JSON_TYPE],
      [`{${Array.from({ length: million / 4 }, (_, index) => `"k${index}":0`).join()}}`, JSON_TYPE],
      ['a=&'.repeat(million), FORM_TYPE],
      [`{"text":"${'...  '.repeat(million)}x"}`, JSON_TYPE],
      [`{"text":"{${'a '.repeat(million)}"}`, JSON_TYPE],
      [' '.repeat(5 * million), 'text/plain'],
      [`{"x":"a${' '.repeat(5 * million)}"}`, JSON_TYPE],
    ]
    for (const [body, type] of hostile) {
      // CPU time, because other processes may delay this one.
      const began = process.cpuUsage()
      await arrive(body, type).catch((error: unknown) => expect(error).to.be.instanceOf(TooMuchPosted))
      expect(process.cpuUsage(began).user / 1_000, body.slice(0, 20)).to.be.below(3_000)
    }
  })

  it('with every item if it is a list', async () => {
    const list = [{ text: TEXT }, { text: 'another' }]
    expect(readPosted(Buffer.from(JSON.stringify(list)), JSON_TYPE, {}).value).to.deep.equal(list)
  })

  it('with only its text kept if it is nested too deeply', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const posted = { value: { text: TEXT, deep: JSON.parse(deep) as unknown }, json: null }
    const { raw } = arrivalOf(posted, {
      credential: shownOf(1, 1),
      posted_as: 'sms',
      arrived_at: new Date(),
    })
    expect(JSON.parse(raw)).to.deep.equal({ text: TEXT })
  })
})
