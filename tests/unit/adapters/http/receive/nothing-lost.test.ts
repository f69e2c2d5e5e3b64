/** Bodies that were cut or changed on their way. What was sent must be in the notification that is kept. */
import { expect } from 'chai'
import { arrivalOf } from '../../../../../adapters/http/receive/arrival.ts'
import { parseLeniently } from '../../../../../adapters/http/receive/lenient-json.ts'
import { readPosted } from '../../../../../adapters/http/receive/posted.ts'
import { shownOf } from '../../../../harness/accounts.ts'

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const at = { credential: shownOf(1, 0), posted_as: null, arrived_at: new Date('2024-06-07T04:41:33Z') } as const

const arrive = async (body: string, type: string, query: Record<string, unknown> = {}) =>
  arrivalOf(await readPosted(Buffer.from(body), type, query), at)

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
const sentWords = (body: string, type: string): string[] => {
  // A changed byte may make an escape of a word's first characters. Then another word was sent.
  const plain = type === JSON_TYPE ? body : body.replace(/%[0-9a-f]{2}/gi, ' ')
  return WORDS.filter((word) => plain.includes(word))
}

describe('a body that was cut or changed on its way', () => {
  const lost = async (body: string, type: string): Promise<string | null> => {
    const { incoming, raw } = await arrive(body, type)
    const missing = sentWords(body, type).filter((word) => !JSON.stringify([incoming, raw]).includes(word))
    return missing.length > 0 ? `${body}: ${missing.join(' ')}` : null
  }

  it('keeps what was sent if it is cut at any byte', async () => {
    for (const [body, type] of BODIES)
      for (let end = 1; end <= body.length; end++) expect(await lost(body.slice(0, end), type)).to.equal(null)
  })

  it('keeps what was sent if any byte is replaced, missing or added', async () => {
    for (const [body, type] of BODIES)
      for (let place = 0; place < body.length; place++)
        for (const bent of ['"', '{', '}', ',', '&', '\\', '%', '\n', ''])
          for (const after of bent === '' ? [1] : [0, 1])
            expect(await lost(body.slice(0, place) + bent + body.slice(place + after), type)).to.equal(null)
  })
})

describe('a body that must be repaired', () => {
  it('has its text without what the repair removed, and stays unsafe', async () => {
    for (const body of [
      `{"from":"VCB","text":"${TEXT}",}`,
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

describe('a text', () => {
  it('keeps an HTML entity and a raw ampersand in a form, and is read as before', async () => {
    const { incoming, unsafe } = await arrive('sender=VCB&text=SD TK 1 &#43;150,000 VND A&B', FORM_TYPE)
    expect([incoming.text, unsafe]).to.deep.equal(['SD TK 1 &#43;150,000 VND A&B', undefined])
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
})
