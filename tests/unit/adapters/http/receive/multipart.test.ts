import { expect } from 'chai'
import fc from 'fast-check'
import { pairsOf } from '../../../../../adapters/http/receive/multipart.ts'

const TYPE = 'multipart/form-data; boundary=x'
const read = (body: string, type = TYPE) => pairsOf(Buffer.from(body), type)

describe('a multipart body', () => {
  it('yields the fields that the standard parser finds', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), { maxLength: 8 }),
        async (fields) => {
          const form = new FormData()
          for (const [name, value] of fields) form.append(name, value)
          const response = new Response(form)
          const bytes = Buffer.from(await response.clone().arrayBuffer())
          // Names are kept whole. The standard turns line ends in names and values into CRLF.
          const expected = [...(await response.formData())].map(([name, value]) => [name, String(value)])
          expect(pairsOf(bytes, response.headers.get('content-type')!)).to.deep.equal(fields.length ? expected : [])
        },
      ),
      { numRuns: 100 },
    ))

  it('has a boundary of at most 70 characters', () => {
    const field = (boundary: string) =>
      read(
        `--${boundary}\r\nContent-Disposition: form-data; name="text"\r\n\r\na\r\n--${boundary}--`,
        `multipart/form-data; boundary=${boundary}`,
      )
    expect(field('b'.repeat(70))).to.deep.equal([['text', 'a']])
    expect(field('b'.repeat(71))).to.equal(null)
  })

  it('yields the text of files, up to 64 KB', () => {
    const head = 'Content-Disposition: form-data; name="text"; filename="a.txt"\r\nContent-Type: text/plain'
    const [[name, value]] = read(`--x\r\n${head}\r\n\r\n${'a'.repeat(100_000)}\r\n--x--\r\n`) as [[string, string]]
    expect([name, value.length]).to.deep.equal(['text', 65_536])
  })

  it('may begin with a preamble, quote its boundary, and contain text that resembles the boundary', () => {
    const body = `preamble\r\n--x\r\nContent-Disposition: form-data; name=text\r\nX: y\r\n\r\n\r\n`
    expect(read(body), 'a name without quotes').to.equal(null)
    const part = 'Content-Disposition: form-data; name="text"\r\n\r\na--x--\r\n--xy\r\n -x'
    expect(
      read(`preamble\r\n--x \r\n${part}\r\n--x--`, 'Multipart/Form-Data; charset=utf-8; boundary="x"'),
    ).to.deep.equal([['text', 'a--x--\r\n--xy\r\n -x']])
  })

  it('is not accepted if it is cut off or has no valid boundary', () => {
    const part = '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nvalue'
    for (const body of ['', 'text', part, `${part}\r\n`, `${part}\r\n--x`, '--x\r\n\r\nvalue\r\n--x--'])
      expect(read(body), JSON.stringify(body)).to.equal(null)
    expect(read(`${part}\r\n--x--`)).to.deep.equal([['text', 'value']])
    for (const type of ['multipart/form-data', `multipart/form-data; boundary=${'x'.repeat(71)}`, 'text/plain'])
      expect(read(`${part}\r\n--x--`, type), type).to.equal(null)
  })

  it('has at most 100 parts', () => {
    const parts = (count: number) =>
      `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'.repeat(count)}--x--`
    expect(read(parts(100))).to.have.lengthOf(100)
    expect(read(parts(101))).to.equal('too_many')
  })
})
