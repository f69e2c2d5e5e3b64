/** How the API reads JSON bodies: koa-body between a guard for the bytes and one for the text (decisions, "Sizes"). */
import { expect } from 'chai'
import { gzipSync } from 'node:zlib'
import { once } from 'node:events'
import { connect } from 'node:net'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { eventually } from '../../harness/eventually.ts'
import { bytesOf, exchangeRaw } from '../../harness/raw-request.ts'

describe('JSON bodies of the API', function () {
  let api: ApiUnderTest
  let port: number
  before(async () => {
    api = await openApi()
    port = Number(new URL(api.url).port)
  })
  after(() => api.close())

  const send = async (body: Buffer, type = 'application/json', more: [string, string][] = []) => {
    const headers = [['Content-Type', type], ['X-API-Key', api.owner.api_key], ...more] as [string, string][]
    const { status, body: text } = await exchangeRaw(
      port,
      bytesOf({ method: 'POST', path: '/api/webhooks', headers, body }),
    )
    return {
      status,
      ...(JSON.parse(Buffer.from(text, 'latin1').toString()) as {
        message?: string
        data: { name: string }
        issues?: { path: string }[]
      }),
    }
  }
  const named = (name: string) => JSON.stringify({ name, url: 'https://shop.example/hook' })
  const utf16le = (text: string) => Buffer.from(text, 'utf16le')
  const utf16be = (text: string) => utf16le(text).swap16()
  const notJson = { status: 400, message: 'The body is not valid JSON.' }

  it('are read as UTF-8 and UTF-16, with a byte order mark or without', async () => {
    const bodies: [Buffer, string][] = [
      [Buffer.from(named('một')), 'application/json'],
      [Buffer.from(`\ufeff${named('hai')}`), 'application/json; charset=utf-8'],
      [utf16le(named('ba')), 'application/json; charset=utf-16'],
      [utf16le(`\ufeff${named('bốn')}`), 'application/json; charset=utf-16le'],
      [utf16be(named('năm')), 'application/vnd.shop+json; charset=utf-16be'],
    ]
    for (const [body, type] of bodies) expect((await send(body, type)).status, type).to.equal(201)
  })

  it('are refused if the bytes are invalid, in a value and in a key', async () => {
    const broken = Buffer.from([0xc3, 0x28])
    const inValue = Buffer.concat([Buffer.from('{"name":"a'), broken, Buffer.from('"}')])
    const inKey = Buffer.concat([Buffer.from('{"name":"a","'), broken, Buffer.from('":1}')])
    for (const body of [inValue, inKey]) expect(await send(body)).to.deep.include(notJson)
    const half = utf16le('{"name":"\ud83d"}')
    const odd = Buffer.concat([utf16le(named('odd')), Buffer.from([0])])
    for (const body of [half, odd])
      expect(await send(body, 'application/json; charset=utf-16le')).to.deep.include(notJson)
  })

  it('may contain U+FFFD itself', async () => {
    expect(await send(Buffer.from(named('a\ufffdb')))).to.nested.include({ status: 201, 'data.name': 'a\ufffdb' })
  })

  it('are refused if they are compressed, of another type or of another charset', async () => {
    const body = Buffer.from(named('x'))
    const compressed = await send(gzipSync(body), 'application/json', [['Content-Encoding', 'gzip']])
    expect(compressed).to.deep.include({ status: 415, message: 'Send the body without Content-Encoding.' })
    expect((await send(body, 'text/plain')).status).to.equal(415)
    expect((await send(body, 'application/json; charset=euc-jp')).status).to.equal(415)
  })

  it('are refused if they are not JSON, and if they would set a prototype', async () => {
    for (const text of ['{"name":"x"', 'name=x', '{"name":"x"}}', '{"name":"x","__proto__":{"a":1}}'])
      expect((await send(Buffer.from(text))).status, text).to.equal(400)
  })

  it('may be any JSON value, which is then checked against the schema', async () => {
    for (const text of ['1', '"x"', 'null', '[]']) {
      const { status, message } = await send(Buffer.from(text))
      expect(status, text).to.equal(400)
      expect(message, text).not.to.equal(notJson.message)
    }
  })

  it('are refused if they have too many values, in any charset, before they are parsed', async () => {
    const many = `{"name":[${'0,'.repeat(60_000)}0]}`
    for (const [body, type] of [
      [Buffer.from(many), 'application/json'],
      [utf16le(many), 'application/json; charset=utf-16le'],
    ] as const)
      expect(await send(body, type)).to.deep.include({
        status: 400,
        message: 'The body must not have more than 50000 values.',
      })
  })

  it('are refused if they have more values or longer texts than any operation accepts', async () => {
    const message =
      'The body must not have more than 2000 values, a text of more than 100000 characters, or a name of more than 1000.'
    for (const body of [{ name: Array(2_001).fill(0) }, { name: 'x'.repeat(100_001) }, { ['x'.repeat(1_001)]: 0 }])
      expect(await send(Buffer.from(JSON.stringify(body)), 'application/json')).to.deep.include({
        status: 400,
        message,
      })
  })

  it('may have any number of commas and brackets in a text', async () => {
    const text = ',[{"\\'.repeat(12_000)
    for (const [body, type] of [
      [Buffer.from(JSON.stringify({ text: ',[{'.repeat(20_000) })), 'application/json'],
      [Buffer.from(JSON.stringify({ text: text.slice(0, 40_000) })), 'application/json'],
      [utf16le(JSON.stringify({ text: ',"'.repeat(10_000) })), 'application/json; charset=utf-16'],
    ] as const) {
      const { status } = await exchangeRaw(
        port,
        bytesOf({ method: 'POST', path: '/api/demo/parse', headers: [['Content-Type', type]], body }),
      )
      expect(status).to.equal(200)
    }
  })

  it('leave nothing behind if the caller disconnects in the middle', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /api/webhooks HTTP/1.1\r\nHost: x\r\nX-API-Key: ${api.owner.api_key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":"cut`,
    )
    await eventually(async () => (await api.ask('GET', '/healthz')).status === 200)
    socket.destroy()
    const names = (await api.ask('GET', '/api/webhooks', { key: api.owner.api_key })).body.data as { name: string }[]
    expect(names.map(({ name }) => name)).not.to.include('cut')
  })
})
