/** The text that is kept of an answer which is no plain UTF-8. */
import { expect } from 'chai'
import { gzipSync } from 'node:zlib'
import { callTo, never, openedForTests } from './setting.ts'

const TEXT = 'Không tìm thấy đơn hàng DH1042'

describe('the text of an answer', () => {
  const { sender, shop, raw } = openedForTests()

  const textOf = async (body: Buffer, headers: Record<string, string>, code = 404): Promise<string> => {
    const { url } = await shop((_call, response) => response.writeHead(code, headers).end(body))
    const result = await sender().send(callTo(url), never)
    expect(result.http_status).to.equal(code)
    return result.response_body
  }

  it('is asked for without compression', async () => {
    const { url, calls } = await shop()
    await sender().send(callTo(url), never)
    expect(calls[0]!.headers).to.include({ 'accept-encoding': 'identity' })
  })

  it('says that it is compressed, and how, if the endpoint compresses it anyway', async () => {
    for (const encoding of ['gzip', 'br', 'zstd', 'gzip, gzip'])
      expect(await textOf(gzipSync(TEXT), { 'content-encoding': encoding })).to.equal(
        `The answer is compressed (${encoding}), so its text is not shown.`,
      )
    expect(await textOf(Buffer.from(TEXT), { 'content-encoding': 'Identity' })).to.equal(TEXT)
  })

  it('begins with the target of a redirect, which most bodies do not name', async () => {
    const location = 'https://shop.vn/webhook/'
    expect(await textOf(Buffer.from(''), { location }, 301)).to.equal(`Location: ${location}`)
    expect(await textOf(Buffer.from('moved'), { location }, 308)).to.equal(`Location: ${location}\n\nmoved`)
    const long = await textOf(Buffer.from('x'.repeat(5_000)), { location: `/${'y'.repeat(5_000)}` }, 302)
    expect(long)
      .to.match(/^Location: \/y{999}\n\nx+$/)
      .and.have.lengthOf(4_096)
    expect(await textOf(Buffer.from('made'), { location }, 201)).to.equal('made')
    // In the bytes that a server sends.
    const wide = Buffer.from(`/${'😀'.repeat(600)}`).toString('latin1')
    expect(await textOf(Buffer.from('x'.repeat(5_000)), { location: wide }, 302))
      .to.match(/^Location: \/\u{1f600}{249}\n\nx+$/u)
      .and.have.lengthOf(4_096 - 249 * 2)
  })

  it('is read in the charset that the endpoint names', async () => {
    const utf16 = Buffer.from(TEXT, 'utf16le')
    expect(await textOf(utf16, { 'content-type': 'text/plain; charset=UTF-16LE' })).to.equal(TEXT)
    expect(await textOf(Buffer.concat([Buffer.from('\ufeff', 'utf16le'), utf16]), {})).to.equal(TEXT)
    const windows1258 = Buffer.from([0x4b, 0x68, 0xf4, 0x6e, 0x67, 0x20, 0xfe])
    expect(await textOf(windows1258, { 'content-type': 'text/html; charset="windows-1258"' })).to.equal('Không ₫')
    expect(await textOf(Buffer.from(TEXT), { 'content-type': 'text/html; charset=klingon' })).to.equal(TEXT)
  })

  it('of an endpoint without an answer body is empty, whatever its headers say', async () => {
    expect(await textOf(Buffer.alloc(0), { 'content-encoding': 'gzip' }, 200)).to.equal('')
    const url = await raw((socket) =>
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello')),
    )
    const one = sender()
    for (let call = 0; call < 2; call++)
      expect(await one.send(callTo(url), never)).to.include({ http_status: 204, error: null, response_body: '' })
  })

  it('is the part that arrived if its chunks never end', async () => {
    const url = await raw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')),
    )
    const result = await sender({ wholeCallMs: 300 }).send(callTo(url), never)
    expect(result).to.include({ http_status: 500, error: 'http_500', response_body: 'half' })
  })
})
