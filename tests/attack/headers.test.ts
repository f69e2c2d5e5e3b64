/**
 * Attack: a browser that guesses the type of an answer runs foreign text as a page or a script, and a subdomain sets the cookie of the
 * dashboard. Every answer forbids the browser to guess. Over https the cookie belongs to this host alone.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { createHealth } from '../../adapters/http/api.ts'
import { listen } from '../../adapters/http/server.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { createReceiver } from '../../adapters/receiver/receiver.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { exchange } from '../integration/http/ask.ts'

const isForbidden = (headers: Headers): boolean => headers.get('x-content-type-options') === 'nosniff'

describe('headers of every answer', () => {
  let api: ApiUnderTest
  let key: string
  before(async () => {
    api = await openApi()
    key = api.owner.api_key
  })
  after(() => api.close())

  it('forbid browsers to guess the type of answers, errors, pages, files and metrics', async () => {
    for (const [method, path, status] of [
      ['GET', '/api/account', 200],
      ['GET', '/api/nothing', 404],
      ['GET', '/', 404],
      ['DELETE', '/api/transactions', 405],
      ['POST', '/api/webhooks', 400],
      ['GET', `/api/transactions?search=${'a'.repeat(2_100)}`, 414],
      ['GET', '/docs', 200],
      ['GET', '/docs/start.js', 200],
      ['GET', '/confirm-bank-account.css', 200],
      ['GET', '/counter/x', 404],
      ['GET', '/api/openapi.json', 200],
      ['GET', '/healthz', 200],
      ['GET', '/readyz', 200],
      ['GET', '/metrics', 200],
      ['HEAD', `/api/receive/u/${api.owner.receive_token}`, 200],
    ] as const) {
      const response = await fetch(api.url + path, { method, headers: { 'x-api-key': key } })
      await response.arrayBuffer()
      expect([path, response.status, isForbidden(response.headers)]).to.deep.equal([path, status, true])
    }
    const anonymous = await fetch(`${api.url}/api/account`)
    expect([anonymous.status, isForbidden(anonymous.headers)]).to.deep.equal([401, true])
  })

  it('forbid that on an internal error, on a stream, and if the request is not HTTP', async () => {
    api.takes(() => {
      throw new Error('a fault')
    })
    const fault = await api.ask('POST', `/api/receive/u/${api.owner.receive_token}`, { json: {}, undocumented: true })
    expect([fault.status, isForbidden(fault.headers)]).to.deep.equal([500, true])
    const ending = new AbortController()
    const stream = await fetch(`${api.url}/api/stream`, { headers: { 'x-api-key': key }, signal: ending.signal })
    expect([stream.status, isForbidden(stream.headers)]).to.deep.equal([200, true])
    ending.abort()
    for (const request of [
      'nonsense\r\n\r\n',
      `GET /?${'a'.repeat(90 * 1024)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'GET / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
    ])
      expect((await exchange(api.url, request)).toLowerCase(), request.slice(0, 40)).to.contain(
        '\r\nx-content-type-options: nosniff\r\n',
      )
  })

  it('forbid that on the port for metrics', async () => {
    const settings = { trustProxy: 0 } as never
    const app = createHealth({ log: silent, metrics: new Registry(), readiness: () => [], settings })
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    for (const path of ['/metrics', '/healthz', '/nothing']) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
      expect(isForbidden(headers), path).to.equal(true)
    }
    await close(0)
  })

  it('forbid that at the reference receiver', async () => {
    const bank = { bank_code: 'ACB', account_number: '257678859', account_holder: 'NGUYEN VAN A' }
    const server = createReceiver({ secret: 's'.repeat(48), prefix: 'DH', bank })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (const path of ['/orders/x', '/nothing', '/orders/x/qr.svg']) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
      expect(isForbidden(headers), path).to.equal(true)
    }
    server.close()
    server.closeAllConnections()
  })

  it('bind the session to this host over https: a cookie set by a subdomain opens nothing', async () => {
    const answer = await api.ask('POST', '/api/session', {
      json: { email: 'owner@baoco.local', password: OWNERS_PASSWORD },
    })
    const [cookie = '', ...attributes] = answer.headers.get('set-cookie')!.split('; ')
    expect(cookie).to.match(/^__Host-baoco_session=/)
    expect(attributes).to.include.members(['Path=/', 'Secure', 'HttpOnly', 'SameSite=Strict'])
    expect(attributes.some((attribute) => /^domain/i.test(attribute))).to.equal(false)
    const statusWith = async (cookie: string) => (await api.ask('GET', '/api/account', { headers: { cookie } })).status
    expect(await statusWith(cookie)).to.equal(200)
    expect(await statusWith(cookie.replace('__Host-', ''))).to.equal(401)
  })
})
