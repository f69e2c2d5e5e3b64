/** Attack: somebody reads the metrics, who is not the operator's monitoring. */
import { expect } from 'chai'
import { request } from 'node:http'
import { openApi } from '../integration/http/api-under-test.ts'

describe('metrics', () => {
  const metricsOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      request(`${url}/metrics`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
        .once('error', reject)
        .end()
    })

  it('are served only to this machine if no token is set, and to no request through a proxy', async () => {
    for (const trustProxy of [0, 1]) {
      const api = await openApi({ trustProxy })
      expect((await api.ask('GET', '/metrics')).status).to.equal(200)
      for (const headers of [
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-forwarded-for': '' },
        { forwarded: 'for=127.0.0.1' },
        { 'x-real-ip': '127.0.0.1' },
        { 'x-forwarded-proto': 'https' },
        { via: '1.1 caddy' },
        { host: 'pay.shop.vn' },
        { host: 'localhost.evil.example' },
        { host: '127.0.0.1.evil.example' },
      ] as Record<string, string>[])
        expect(await metricsOf(api.url, headers), JSON.stringify(headers)).to.equal(404)
      for (const host of ['localhost', 'LOCALHOST.:80', '127.0.0.2:9090', '[::1]:9090'])
        expect(await metricsOf(api.url, { host }), host).to.equal(200)
      expect((await api.ask('GET', '/metrics', { headers: { 'x-forwarded-for': '1.2.3.4' } })).body.error).to.equal(
        'NOT_FOUND',
      )
      await api.close()
    }
  })

  it('are not served if more headers precede those of a proxy than Node keeps by default', async () => {
    const api = await openApi()
    const headers = Array.from({ length: 1_001 }, (_, at) => [`a${at}`, ''])
    const many = { host: 'localhost', ...Object.fromEntries(headers) }
    expect(await metricsOf(api.url, many)).to.equal(200)
    expect(await metricsOf(api.url, { ...many, 'x-forwarded-for': '1.2.3.4' })).to.equal(404)
    await api.close()
  })

  it('require the token if one is set, from this machine too', async () => {
    const metricsToken = 'a token of the monitoring'.replaceAll(' ', '-')
    const api = await openApi({ metricsToken })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    for (const headers of [
      {},
      bearer(metricsToken.slice(1)),
      bearer(`${metricsToken}x`),
      { authorization: metricsToken },
      { authorization: 'Bearer' },
      { authorization: `Basic Bearer ${metricsToken}` },
    ])
      expect(await metricsOf(api.url, headers)).to.equal(401)
    expect((await api.ask('GET', '/metrics')).headers.get('www-authenticate')).to.include('Bearer')
    expect(await metricsOf(api.url, { ...bearer(metricsToken), 'x-forwarded-for': '1.2.3.4', host: 'x.vn' })).to.equal(
      200,
    )
    await api.close()
  })

  it('are not on the public port, like health, if they have their own port', async () => {
    const api = await openApi({ metricsPort: 9_464 })
    for (const path of ['/metrics', '/healthz', '/readyz'])
      expect((await api.ask('GET', path, { undocumented: true })).status).to.equal(404)
    await api.close()
  })
})
