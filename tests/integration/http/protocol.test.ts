/** The HTTP layer: methods, media types, sizes, odd requests, and health. */
import { VERSION } from '../../../adapters/system/version.ts'
import { expect } from 'chai'
import { once } from 'node:events'
import { connect } from 'node:net'
import { exchangeRaw } from '../../harness/raw-request.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { exchange } from './ask.ts'

describe('the HTTP layer', () => {
  let api: ApiUnderTest
  let key: string
  before(async () => {
    api = await openApi()
    key = api.owner.api_key
  })
  after(() => api.close())

  it('answers 405 with the allowed methods of a path', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/api/transactions', 'HEAD, GET'],
      ['PATCH', '/api/webhooks/1', 'PUT, DELETE'],
      ['GET', '/api/auth/login', 'POST'],
      ['PUT', `/api/receive/u/${api.owner.receive_token}`, 'HEAD, GET, POST'],
      ['GET', '/api/receive/batch', 'POST'],
      ['PROPFIND', '/api/account', 'HEAD, GET, PUT'],
      ['OPTIONS', '/api/account', 'HEAD, GET, PUT'],
    ] as const) {
      const { status, headers, body } = await api.ask(method, path, { key })
      expect([status, body.error], `${method} ${path}`).to.deep.equal([405, 'METHOD_NOT_ALLOWED'])
      expect(headers.get('allow')).to.equal(allow)
    }
  })

  it('answers 404 on unknown paths', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/transactions/1/2',
      '/API/ACCOUNT',
      '/api/webhooks/%E0%A4%A/logs',
      '/..%2f..%2fetc/passwd',
      '/',
    ]) {
      const { status, body, headers } = await api.ask('GET', path, { key })
      expect([status, body.error, body.success], path).to.deep.equal([404, 'NOT_FOUND', false])
      if (/^\/api(\/|$)/.test(path)) expect(headers.get('cache-control'), path).to.equal('no-store')
    }
  })

  it('accepts only JSON on management endpoints', async () => {
    const body = '{"name":"x","url":"https://shop.example/"}'
    const post = (headers: Record<string, string>, sent: string | Buffer = body) =>
      api.ask('POST', '/api/webhooks', { key, body: sent, headers })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ])
      expect((await post({ 'content-type': type })).body.error, type).to.equal('UNSUPPORTED_MEDIA_TYPE')
    expect((await post({ 'content-type': 'application/json', 'content-encoding': 'gzip' })).status).to.equal(415)
    for (const broken of ['{', '{"name":}', '', ' ', 'null', '"x"', '[]', '5', '{"a":1}{"b":2}'])
      expect((await post({ 'content-type': 'application/json' }, broken)).body.error, broken).to.equal(
        'VALIDATION_FAILED',
      )
    expect((await post({ 'content-type': 'application/json' }, Buffer.from([0x22, 0xff, 0x22]))).status).to.equal(400)
    expect((await post({ 'content-type': 'application/json' })).status).to.equal(201)
    expect((await post({ 'content-type': 'application/json; charset=UTF-8' })).status).to.equal(201)
    expect((await post({ 'content-type': 'application/vnd.api+json' })).status).to.equal(201)
  })

  it('refuses bodies over 10 MB and queries over 2048 bytes', async () => {
    const over = await api.ask('POST', '/api/webhooks', { key, json: { name: 'x'.repeat(10 * 1024 * 1024) } })
    expect([over.status, over.body.error]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE'])
    const list = (bytes: number) => api.ask('GET', `/api/transactions?search=${'a'.repeat(bytes - 7)}`, { key })
    expect((await list(2048)).status).to.equal(200)
    const long = await list(2049)
    expect([long.status, long.body.error]).to.deep.equal([414, 'QUERY_TOO_LONG'])
  })

  it('answers deeply nested bodies', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const headers = { 'content-type': 'application/json' }
    expect((await api.ask('POST', '/api/webhooks', { key, body: deep, headers })).status).to.equal(400)
    expect(
      (await api.ask('POST', `/api/receive/u/${api.owner.receive_token}`, { body: deep, headers })).status,
    ).to.equal(200)
    const nested = `${'{"a":'.repeat(50_000)}"x y"${'}'.repeat(50_000)}`
    expect(
      (await api.ask('POST', `/api/receive/u/${api.owner.receive_token}`, { body: nested, headers })).status,
    ).to.equal(200)
  })

  it('answers requests that are not HTTP, and request heads that are too long', async () => {
    const nonsense = await exchange(api.url, 'nonsense\r\n\r\n')
    expect(nonsense)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.match(/^Cache-Control: no-store\r$/m)
    const message = 'This is not an HTTP request.'
    const refused = { success: false, error: 'VALIDATION_FAILED', message, issues: [{ path: '', message }] }
    expect(JSON.parse(nonsense.split('\r\n\r\n')[1]!)).to.deep.equal(refused)
    const answer = await exchange(api.url, `GET /?${'a'.repeat(90 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer)
      .to.match(/^HTTP\/1\.1 414 /)
      .and.to.contain('QUERY_TOO_LONG')
  })

  it('answers a caller that ends its side of the connection behind its request', async () => {
    const answer = await exchange(
      api.url,
      `POST /api/receive/u/${api.owner.receive_token} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello`,
    )
    expect(answer).to.match(/^HTTP\/1\.1 200 /)
    const two = await exchange(api.url, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2))
    expect(two.match(/"status":"ok"/g)).to.have.lengthOf(2)
    // Such a caller does not listen to a stream.
    const stream = `GET /api/stream HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`
    expect(await exchange(api.url, stream)).to.match(/^HTTP\/1\.1 200 /)
  })

  it('answers a complete request before it refuses what follows, because callers may count characters instead of bytes', async () => {
    for (const header of ['', 'Connection: close\r\n']) {
      const head = `POST /api/receive/u/${api.owner.receive_token} HTTP/1.1\r\nHost: x\r\n${header}Content-Length: `
      const text = 'Số dư: 1.000.000 VND'
      const answer = await exchange(api.url, `${head}${text.length}\r\n\r\n${text}`)
      expect(answer, header).to.match(/^HTTP\/1\.1 200 /)
      // A body that is broken itself has no other answer.
      const broken = `${head.replace('Content-Length: ', 'Transfer-Encoding: chunked')}\r\n\r\n5\r\nhello\r\nz\r\n`
      expect(await exchange(api.url, broken), header).to.match(/^HTTP\/1\.1 400 /)
    }
    const { port } = new URL(api.url)
    const two = await exchangeRaw(Number(port), Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n'))
    expect(two.status).to.equal(200)
    expect(two.body).to.match(/"status":"ok".*HTTP\/1\.1 400 /)
  })

  it('refuses a request with two hosts, or with none, in the format of all errors', async () => {
    const message = 'An HTTP/1.1 request has exactly one Host header.'
    const refused = { success: false, error: 'VALIDATION_FAILED', message, issues: [{ path: '', message }] }
    for (const hosts of ['Host: x\r\nhOst: y\r\n', 'Host: x\r\nHost: x\r\n', '']) {
      const answer = await exchange(api.url, `GET /healthz HTTP/1.1\r\n${hosts}\r\n`)
      expect(answer, hosts).to.match(/^HTTP\/1\.1 400 /)
      expect(JSON.parse(answer.split('\r\n\r\n')[1]!), hosts).to.deep.equal(refused)
    }
    expect(await exchange(api.url, 'GET /healthz HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /)
  })

  it('answers a request with an unknown expectation like any other', async () => {
    for (const expectation of ['a-miracle', '100-Continue', '100-continue, a-miracle']) {
      const answer = await exchange(
        api.url,
        `POST /api/receive/u/${api.owner.receive_token} HTTP/1.1\r\nHost: x\r\nExpect: ${expectation}\r\nContent-Length: 5\r\n\r\nhello`,
      )
      expect(answer, expectation).to.match(/^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 /)
    }
  })

  it('closes the connection after its answer if the rest of a body that nobody reads is too long', async () => {
    const head = `POST /api/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${30 * 2 ** 20}\r\n\r\n`
    const body = Buffer.alloc(24 * 2 ** 20 + 1, 'a')
    const answer = await exchangeRaw(Number(new URL(api.url).port), Buffer.concat([Buffer.from(head), body]))
    expect([answer.status, answer.headers.get('connection')]).to.deep.equal([404, 'close'])
  })

  it('continues after clients that disconnected in the middle of a request', async () => {
    for (let number = 0; number < 5; number++) {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `POST /api/receive/u/${api.owner.receive_token} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`,
      )
      socket.destroy()
      await once(socket, 'close')
    }
    expect((await api.ask('GET', '/healthz')).status).to.equal(200)
  })

  it('reports its health and its metrics', async () => {
    expect((await api.ask('GET', '/healthz')).body).to.deep.equal({ status: 'ok', version: VERSION })
    const ready = await api.ask('GET', '/readyz')
    expect(ready.status).to.equal(200)
    expect(ready.body).to.deep.equal({ status: 'ok', parts: { event_store: 'ok', read_models: 'ok' } })
    await api.ask('GET', `/api/receive/u/${api.owner.receive_token}?text=x`)
    const numbers = (await api.ask('GET', '/metrics')).body as string
    expect(numbers).to.match(
      /baoco_http_requests_total\{method="GET",route="\/api\/receive\/u\/:token",status="200"\} \d+/,
    )
    expect(numbers).not.to.contain(api.owner.receive_token)
  })
})
