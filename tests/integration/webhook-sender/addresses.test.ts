/** The addresses that a call may use, and those that are refused. */
import { expect } from 'chai'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { eventually } from '../../harness/eventually.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { callTo, never, openedForTests } from './setting.ts'

describe('the webhook sender', () => {
  const { closing, sender, shop } = openedForTests()

  it('uses the name for TLS, and connects to the address that it checked', async () => {
    const names: unknown[] = []
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      names.push((request.socket as unknown as { servername: string }).servername)
      response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const call = callTo(`https://shop.test:${(server.address() as AddressInfo).port}/`)
    const resolve = () => Promise.resolve(['127.0.0.1'])
    expect(await sender({ resolve, ca: CERTIFICATE }).send(call, never)).to.include({ http_status: 200 })
    expect(names).to.deep.equal(['shop.test'])
    // A certificate that no authority has signed, and one for another name.
    expect(await sender({ resolve }).send(call, never)).to.include({ http_status: 0, error: 'tls' })
    const other = { ...call, url: call.url.replace('shop.test', 'other.test') }
    expect(await sender({ resolve, ca: CERTIFICATE }).send(other, never)).to.include({ error: 'tls' })
  })

  it('leaves the dot at the end of a name out of TLS and of the lookup', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('ok'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const resolve = (name: string) => Promise.resolve(name === 'shop.test' ? ['127.0.0.1'] : [])
    const call = callTo(`https://shop.test.:${(server.address() as AddressInfo).port}/`)
    expect(await sender({ resolve, ca: CERTIFICATE }).send(call, never)).to.include({ http_status: 200 })
  })

  it('leaves time for the next address of a name if one does not answer, but tries none after an error of TLS', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('ok'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(port, '127.0.0.2', resolve))
    closing.push(
      () => server.close(),
      () => silent.close(),
    )
    const call = callTo(`https://shop.test:${port}/`)
    const next = sender({
      resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.1']),
      ca: CERTIFICATE,
      wholeCallMs: 2_000,
    })
    // A busy machine may need more than the time that is left.
    await eventually(async () => (await next.send(call, never)).http_status === 200)
    let connections = 0
    server.on('connection', () => connections++)
    const twice = sender({ resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.1']) })
    expect(await twice.send(call, never)).to.include({ error: 'tls' })
    expect(connections).to.equal(1)
  })

  it('sends no server name in TLS if the URL has an IP address, because TLS forbids it', async () => {
    const named: string[] = []
    const server = createTlsServer({
      key: KEY,
      cert: CERTIFICATE,
      SNICallback: (name, use) => {
        named.push(name)
        use(null, createSecureContext({ key: KEY, cert: CERTIFICATE }))
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    // The certificate names no address.
    expect(await sender().send(callTo(`https://127.0.0.1:${port}/`), never)).to.include({ error: 'tls' })
    expect(named).to.deep.equal([])
  })

  it('says what is wrong with TLS without what OpenSSL adds for its developers', async () => {
    const reasonOf = async (server: Server): Promise<string> => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(() => server.close())
      const result = await sender().send(callTo(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`), never)
      expect(result).to.include({ http_status: 0, error: 'tls' })
      return result.response_body
    }
    const plain = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    expect(await reasonOf(plain)).to.equal('The secure connection failed: the server does not speak TLS on this port.')
    const ciphers = 'DEFAULT@SECLEVEL=0'
    const old = createTlsServer({ key: KEY, cert: CERTIFICATE, ciphers, minVersion: 'TLSv1', maxVersion: 'TLSv1' })
    expect(await reasonOf(old)).to.match(/^The secure connection failed: tlsv1 alert protocol version/)
  })

  it('refuses a name if any of its addresses is private', async () => {
    const call = callTo('https://both.test/')
    for (const addresses of [['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['8.8.8.8', '64:ff9b::7f00:1']]) {
      const strict = sender({ allowPrivate: false, resolve: () => Promise.resolve(addresses) })
      expect(await strict.send(call, never)).to.include({ http_status: 0, error: 'private_address' })
    }
  })

  it('refuses a URL that a new rule could not have today', async () => {
    const { url, calls } = await shop()
    expect(await sender({ allowPrivate: false }).send(callTo(url), never)).to.include({ error: 'invalid_url' })
    expect(await sender({ allowPrivate: false }).send(callTo('https://127.0.0.1/'), never)).to.include({
      error: 'private_address',
    })
    expect(await sender({ ownOrigins: [new URL(url).origin] }).send(callTo(url), never)).to.include({
      error: 'invalid_url',
    })
    expect(calls).to.deep.equal([])
  })

  it('finds names in the hosts file, and tries the next address of a name', async () => {
    const { url } = await shop()
    expect(await sender().send(callTo(url.replace('127.0.0.1', 'localhost')), never)).to.include({ http_status: 200 })
    const resolve = () => Promise.resolve(['::1', '127.0.0.1'])
    expect(await sender({ resolve }).send(callTo(url.replace('127.0.0.1', 'shop.test')), never)).to.include({
      http_status: 200,
    })
  })
})
