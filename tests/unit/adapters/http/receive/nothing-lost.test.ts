/** Bodies that were cut or changed on their way. What was sent must be in the notification that is kept. */
import { expect } from 'chai'
import { parseQuery } from '../../../../../adapters/http/middleware/query-string.ts'
import { arrivalOf, itemOf } from '../../../../../adapters/http/receive/arrival.ts'
import { mendedForm } from '../../../../../adapters/http/receive/form-text.ts'
import { parseLeniently } from '../../../../../adapters/http/receive/lenient-json.ts'
import { readPosted } from '../../../../../adapters/http/receive/posted-body.ts'
import type { Arrival } from '../../../../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../../../../domain/arrival/origin.ts'
import { read } from '../../../../../domain/reader/reader.ts'
import { appraise, readable } from '../../../../../domain/transaction/appraisal.ts'
import { captured, ignored, unread } from '../../../../../domain/transaction/capture.ts'
import { bodiesOfApps, type Posted } from '../../../../attack/forwarder-bodies.ts'
import { accountOf, shownOf } from '../../../../harness/accounts.ts'
import { repetitions } from '../../../../harness/repetitions.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const at = { credential: shownOf(1, 0), posted_as: null, arrived_at: new Date('2024-06-07T04:41:33Z') } as const

const arrive = async (body: string, type: string, query: Record<string, unknown> = {}) =>
  arrivalOf(readPosted(Buffer.from(body), type, query), at)

const BODIES: readonly (readonly [string, string])[] = [
  [`{\n  "from":"Vietcombank",\n  "text":"${TEXT}",\n  "sentStamp":1717735291000,\n  "sim":"SIM1"\n}`, JSON_TYPE],
  [JSON.stringify({ event: 'sms:received', payload: { message: TEXT, phoneNumber: 'Vietcombank' } }), JSON_TYPE],
  [JSON.stringify({ packageName: 'com.VCB', title: 'VCB', text: TEXT, raw: TEXT }), JSON_TYPE],
  [JSON.stringify({ items: [{ type: 'sms', sender: 'Vietcombank', text: TEXT }] }), JSON_TYPE],
  [new URLSearchParams({ from: 'Vietcombank', content: TEXT }).toString(), FORM_TYPE],
  [`from=Vietcombank&content=${TEXT}`, FORM_TYPE],
  [`from=Vietcombank&content=${encodeURI(TEXT)}`, FORM_TYPE],
  [TEXT, 'text/plain'],
  [encodeURIComponent(TEXT), 'text/plain'],
]

/** Words of the text that are still whole in what was sent. They are the same in every encoding. */
const WORDS = ['0011000415567', '150', '250', 'luc', 'Ref', 'MBVCB', '5512', 'DH1042']
const sentWords = (sent: string): string[] => {
  // A changed byte may make an escape of a word's first characters. Then another word was sent.
  const plain = sent.startsWith('{') || sent.startsWith('[') ? sent : sent.replace(/%[0-9a-f]{2}/gi, ' ')
  return WORDS.filter((word) => plain.includes(word))
}

/** Every body of the forwarder apps, and those that they send without encoding. */
const SENT: readonly Posted[] = [
  ...BODIES.map(([body, contentType]) => ({ app: contentType, body, contentType, query: '' })),
  { app: 'raw query', body: '', contentType: '', query: `from=Vietcombank&content=${encodeURI(TEXT)}` },
  ...bodiesOfApps({ sender: 'Vietcombank', text: TEXT, printed: null }),
  ...bodiesOfApps({ package: 'com.VCB', title: 'VCB', text: TEXT, printed: null }),
]

const ACCOUNT = accountOf(1)
/** The event that the notification becomes. */
const eventOf = (given: Arrival): object => {
  const arrival = readable(given)
  const path = receivePathOf(ACCOUNT, arrival.credential, at.arrived_at)!
  const appraised = appraise(ACCOUNT, path, arrival, read(arrival.incoming, at.arrived_at))
  if (appraised.kind === 'movement') return captured(1, 1, appraised, null)
  return appraised.kind === 'unread' ? unread(1, 1, appraised) : ignored(1, 1, appraised, appraised.reason)
}

const lost = async (body: Buffer | string, contentType: string, query: string, sent: string) => {
  const posted = readPosted(Buffer.from(body), contentType, parseQuery(mendedForm(query)))
  const list = Array.isArray(posted.value) && posted.value.length > 1 ? posted.value : null
  const arrivals = list?.map((item) => arrivalOf(itemOf(posted, item), at)) ?? [arrivalOf(posted, at)]
  const kept = JSON.stringify(arrivals.map(eventOf))
  const missing = sentWords(sent).filter((word) => !kept.includes(word))
  return missing.length > 0 ? `${sent}: ${missing.join(' ')}` : null
}

/** In CI, only some of the places are tried, other ones in each run. */
const STEP = repetitions(1, 23)
const FIRST = Math.floor(Math.random() * STEP)

describe(`a body or query that was cut or changed on its way (from byte ${FIRST}, step ${STEP})`, function () {
  this.timeout(600_000)

  const expectKept = async (bend: (sent: string, offset: number) => readonly string[]) => {
    for (const { body, contentType, query } of SENT) {
      const sent = body === '' ? query : body
      for (let offset = FIRST; offset <= sent.length; offset += STEP)
        for (const bent of bend(sent, offset)) {
          const problem =
            body === '' ? await lost('', contentType, bent, bent) : await lost(bent, contentType, query, bent)
          expect(problem).to.equal(null)
        }
    }
  }

  it('is kept in its event as it was sent, if it is cut at any byte', () =>
    expectKept((sent, offset) => [sent.slice(0, offset)]))

  it('is kept in its event as it was sent, if any byte is replaced, missing or added', () =>
    expectKept((sent, offset) =>
      ['"', '{', '}', '[', ',', '&', '=', '+', '\\', '%', '\n', ''].flatMap((bent) => [
        sent.slice(0, offset) + bent + sent.slice(offset + 1),
        sent.slice(0, offset) + bent + sent.slice(offset),
      ]),
    ))
})

describe('a body that must be repaired', () => {
  it('has its text without what the repair removed, and stays unsafe', async () => {
    for (const body of [
      `{"from":"VCB","text":"${TEXT}",}`,
      `{"from":"VCB","text":"${TEXT}" , \n}`,
      `{"from":"VCB","text":"${TEXT}"`,
      `{"from":"VCB","text":"${TEXT}`,
    ]) {
      const { incoming, unsafe } = await arrive(body, JSON_TYPE)
      expect({ ...incoming, unsafe }).to.deep.equal({ text: TEXT, sender: 'VCB', unsafe: 'broken_json' })
    }
  })

  it('is closed at a cut escape and at an open list', () => {
    expect(parseLeniently('{"a":["x\\u00').value).to.deep.equal({ a: ['x'] })
    expect(parseLeniently('{"a":["x\\\\').value).to.deep.equal({ a: ['x\\'] })
    expect(parseLeniently('[{"a":1,},').value).to.deep.equal([{ a: 1 }])
  })
})

describe('a query', () => {
  const fieldsOf = (query: string) => ({ ...parseQuery(mendedForm(query)) })

  it('keeps a raw plus beside %20, and an ampersand of the text', () => {
    expect(fieldsOf('sender=VCB&text=TK%201%20+5,000%20A&B&&C')).to.deep.equal({
      sender: 'VCB',
      text: 'TK 1 +5,000 A&B&&C',
    })
    expect(fieldsOf('text=TK+1&debug&sender=VCB')).to.deep.equal({ text: 'TK 1&debug', sender: 'VCB' })
    expect(fieldsOf('sender=VCB&debug&text=TK+1&')).to.deep.equal({ sender: 'VCB', debug: '', text: 'TK 1' })
  })

  it('with a name that occurs twice keeps both values', async () => {
    const { raw } = await arrive('', '', { text: TEXT, note: ['first', 'second'] })
    expect(raw).to.include('second')
  })
})

describe('a text', () => {
  it('keeps an HTML entity and a raw ampersand in a form, and is read as before', async () => {
    const { incoming, unsafe } = await arrive('sender=VCB&text=SD TK 1 &#43;150,000 VND A&B', FORM_TYPE)
    expect([incoming.text, unsafe]).to.deep.equal(['SD TK 1 &#43;150,000 VND A&B', undefined])
  })

  it('keeps its letters beside a raw percent sign, plus and ampersand in a form', async () => {
    for (const memo of ['giảm 50%', 'giảm 50% A&B', 'A&Án=5%']) {
      const text = `Số dư TK VCB 0011000415567 +150,000 VND. Ref MBVCB.5512.DH1042 ${memo}`
      const { incoming, unsafe } = await arrive(`package=com.VCB&text=${text}`, FORM_TYPE)
      expect([incoming.text, unsafe]).to.deep.equal([text, undefined])
    }
    const { incoming } = await arrive('text=Số dư +150,000 VND giảm 50%AB', FORM_TYPE)
    expect(incoming.text).to.equal('Số dư +150,000 VND giảm 50\ufffd')
  })

  it('of a form stays in doubt if what follows its ampersand is a field', async () => {
    for (const memo of ['A&text=B', 'A&sender=ACB', 'A&from=ACB']) {
      const { unsafe } = await arrive(`sender=VCB&text=${TEXT} ${memo}`, FORM_TYPE)
      expect(unsafe, memo).to.be.a('string')
    }
  })

  it('keeps its plus beside %20 in a form', async () => {
    const { incoming, unsafe } = await arrive(`sender=VCB&text=${encodeURI(TEXT)}`, FORM_TYPE)
    expect([incoming.text, unsafe]).to.deep.equal([TEXT, undefined])
  })

  it('is decoded if the whole plain text is percent-encoded', async () => {
    expect((await arrive(encodeURIComponent(TEXT), 'text/plain')).incoming.text).to.equal(TEXT)
    expect((await arrive('A%20B%ZZ', 'text/plain')).incoming.text).to.equal('A%20B%ZZ')
  })

  it('is the whole body if none is found', async () => {
    const { incoming, unsafe } = await arrive('{"from":"VCB","te', JSON_TYPE)
    expect([incoming.text, unsafe]).to.deep.equal(['{"from":"VCB","te', 'broken_json'])
  })

  it('is the whole body if the field of the text was cut before it', async () => {
    const { incoming, unsafe } = await arrive('{"from":"VCB","text":"', JSON_TYPE)
    expect([incoming.text, unsafe]).to.deep.equal(['{"from":"VCB","text":"', 'broken_json'])
  })

  const WITHOUT: readonly (readonly [body: string, type: string, query?: object])[] = [
    ...['{}', '{ }', '[]', '[ ]', '[{}]', '[null]', '{"text":""}', '{"text":" "}', '{"text":null}', '{"text":[]}', '{"message":{}}'].map((body) => [body, JSON_TYPE] as const),
    ['{"sender":"Vietcombank","text":null}', JSON_TYPE],
    ['{"sender":"Vietcombank","timestamp":"2024-06-07T11:41:31"}', JSON_TYPE],
    ['{"battery":80,"charging":true}', JSON_TYPE],
    ['{}', JSON_TYPE, { sender: 'Vietcombank' }],
    ['', JSON_TYPE, { sender: 'Vietcombank' }],
    ['sender=Vietcombank', FORM_TYPE],
  ] // prettier-ignore
  for (const [body, type, query] of WITHOUT)
    it(`is empty, and its body is not called broken, if nothing in it can be a text: ${body || JSON.stringify(query)}`, async () => {
      const given = await arrive(body, type, { ...query })
      expect([given.incoming.text, given.unsafe]).to.deep.equal(['', undefined])
      expect(eventOf(given))
        .to.deep.include({ type: 'NotificationIgnored' })
        .and.have.nested.property('data.reason', 'empty')
    })

  it('is the whole body if an unknown field may contain a text, or the body is nested deeply', async () => {
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`
    for (const body of ['{"enc":"aGVsbG8="}', `{"a":${deep}}`]) {
      const { incoming, unsafe } = await arrive(body, JSON_TYPE)
      expect([incoming.text, unsafe]).to.deep.equal([body, 'broken_json'])
    }
  })
})
