import { expect } from 'chai'
import { withoutEntities } from '../../../../domain/reader/html-entities.ts'
import { read } from '../../../../domain/reader/reader.ts'

const AT = new Date('2026-11-20T03:00:00Z')
const VCB = 'SD TK 0011000415567 +150,000VND luc 20-11-2026 09:46:12. SD 222,772,047VND. Ref '
const readingOf = (text: string) => read({ text, sender: 'Vietcombank' }, AT).reading

describe('HTML entities', () => {
  it('become the characters that they name, once', () => {
    expect(withoutEntities('&#43;1 &#x2B;2 T&agrave;i &#7843; A&amp;B &lt;x&gt;')).to.equal('+1 +2 Tài ả A&B <x>')
    expect(withoutEntities('&amp;#43; &unknown; & &#0; &#99999999;')).to.equal('&#43; &unknown; & &#0; &#99999999;')
  })

  it('in a text that cannot be read with them are decoded', () => {
    expect(readingOf(`${VCB.replace('+', '&#43;')}DH1042`)).to.include({ amount: '150000.00', content: 'DH1042' })
    const written = [...`${VCB}DH1042`].map((letter) => `&#${letter.charCodeAt(0)};`).join('')
    expect(readingOf(written)).to.include({ amount: '150000.00', content: 'DH1042' })
  })

  it('in the title are decoded too, because it may have the amount', () => {
    const body = { package: 'vn.com.techcombank.bb.app', text: 'Tài khoản: 1903\nSố dư: VND 5,000,000\nDH1042' }
    const { reading } = read({ ...body, title: '&#43; VND 150,000' }, AT)
    expect(reading).to.include({ amount: '150000.00', transaction_type: 'credit', content: 'DH1042' })
  })

  it('in the memo of a text that can be read stay as they are', () => {
    const memo = 'A&#10;TK 1|GD: &#43;9,000,000VND|ND: DH9999'
    expect(readingOf(VCB + memo)).to.include({ amount: '150000.00', content: memo })
  })
})
