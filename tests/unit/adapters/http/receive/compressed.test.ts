import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { decompressed, decompressorOf } from '../../../../../adapters/http/receive/decompressed.ts'

const LIMIT = 1024 * 1024
const BODY = Buffer.from(JSON.stringify({ text: 'SD TK 0011000415567 +150,000VND' }))

const result = async (bytes: Buffer, encoding = '', hold: (bytes: number) => boolean = () => true) => {
  const open = decompressorOf(bytes, encoding)
  return open && (await decompressed(bytes, open, LIMIT, hold))
}

describe('a compressed body', () => {
  it('is decompressed: gzip with or without its header, deflate and br by their header', async () => {
    const whole = { bytes: BODY, state: 'whole' }
    expect(await result(gzipSync(BODY))).to.deep.equal(whole)
    expect(await result(gzipSync(BODY), 'gzip')).to.deep.equal(whole)
    expect(await result(deflateSync(BODY), 'deflate')).to.deep.equal(whole)
    expect(await result(brotliCompressSync(BODY), 'br')).to.deep.equal(whole)
  })

  it('is not assumed because of a wrong header', async () => {
    expect(await result(BODY, 'gzip')).to.equal(null)
    expect(await result(Buffer.alloc(0), 'br')).to.equal(null)
    expect(await result(Buffer.from('\u001f a text'))).to.equal(null)
  })

  it('that was cut gives what precedes the cut', async () => {
    const bytes = gzipSync(BODY)
    for (let end = 2; end < bytes.length; end++) {
      const begun = await result(bytes.subarray(0, end))
      expect(begun).to.include({ state: 'damaged' })
      expect(BODY.toString().startsWith((begun as { bytes: Buffer }).bytes.toString())).to.equal(true)
    }
    const { bytes: almost } = (await result(bytes.subarray(0, -1))) as { bytes: Buffer }
    expect(almost.equals(BODY)).to.equal(true)
  })

  it('is decompressed up to the limit, and no further than it may be held', async () => {
    expect(await result(gzipSync(Buffer.alloc(LIMIT)))).to.include({ state: 'whole' })
    expect(await result(gzipSync(Buffer.alloc(LIMIT + 1)))).to.include({ state: 'too_large' })
    const bomb = gzipSync(Buffer.alloc(50 * LIMIT))
    const begun = (await result(bomb)) as { bytes: Buffer; state: string }
    expect(begun.state).to.equal('too_large')
    expect(begun.bytes.length).to.be.below(LIMIT + 128 * 1024)
    let held = 0
    expect(await result(bomb, 'gzip', (bytes) => (held += bytes) < LIMIT / 2)).to.equal('overloaded')
    expect(held).to.be.below(LIMIT)
    held = 0
    const cut = gzipSync(randomBytes(LIMIT / 2)).subarray(0, -10)
    expect(await result(cut, 'gzip', (bytes) => (held += bytes) < (LIMIT * 3) / 4)).to.equal('overloaded')
  })
})
