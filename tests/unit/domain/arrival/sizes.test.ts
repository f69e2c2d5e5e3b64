import { expect } from 'chai'
import fc from 'fast-check'
import { RAW_BYTES, cutToBytes, keptRaw } from '../../../../domain/arrival/sizes.ts'

describe('the size limit of a notification', () => {
  it('cuts between characters', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, most) => {
        const cut = cutToBytes(text, most)
        expect(Buffer.byteLength(cut)).to.be.at.most(most)
        expect(text.startsWith(cut)).to.equal(true)
        if (cut !== text) expect(most - Buffer.byteLength(cut)).to.be.below(4)
      }),
    ))

  it('keeps a body below the limit unchanged', () => {
    const raw = `{ "text" : "${'x'.repeat(RAW_BYTES - 20)}" }`
    expect(keptRaw(raw)).to.equal(raw)
  })

  for (const [name, body] of [
    ['one long text', { text: 'ồ'.repeat(50_000), sender: 'Vietcombank', n: 1 }],
    ['a text of quotes and line ends', { text: '"\n'.repeat(60_000), sender: 'Vietcombank', n: 1 }],
    [
      'two long texts deep inside',
      { a: [{ text: 'x'.repeat(90_000) }, { text: 'y'.repeat(90_000) }], sender: 'Vietcombank', n: 1 },
    ],
  ] as const)
    it(`cuts the texts inside JSON and keeps the JSON valid: ${name}`, () => {
      const kept = keptRaw(JSON.stringify(body))
      expect(Buffer.byteLength(kept)).to.be.within(10_000, RAW_BYTES)
      expect(JSON.parse(kept)).to.include({ sender: 'Vietcombank', n: 1 })
    })

  it('keeps the beginning of JSON with too many values, as valid JSON', () => {
    const kept = keptRaw(JSON.stringify(Array.from({ length: 40_000 }, (_, n) => n)))
    expect(Buffer.byteLength(kept)).to.be.at.most(RAW_BYTES)
    expect(JSON.parse(kept))
      .to.have.property('cut')
      .that.satisfies((cut: string) => cut.startsWith('[0,1,2'))
  })

  it('keeps the first 64 KB of a body that is not JSON', () =>
    expect(keptRaw('x'.repeat(65_537))).to.equal('x'.repeat(65_536)))
})
