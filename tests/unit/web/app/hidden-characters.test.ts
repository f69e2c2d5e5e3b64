import { expect } from 'chai'
import { plainOf } from '../../../../domain/reader/mail-page.ts'
import { marked, piecesOf } from '../../../../web/app/hidden-characters.ts'

describe('hidden characters in a stranger’s text', () => {
  it('become marks, so that a text cannot look like another one', () => {
    expect(piecesOf('DH10\u200b42\u202e')).to.deep.equal([
      { text: 'DH10', isMark: false },
      { text: 'U+200B', isMark: true },
      { text: '42', isMark: false },
      { text: 'U+202E', isMark: true },
    ])
  })

  it('are marked in a text where no element can be', () => {
    expect(marked('DH10\u200b42')).to.equal('DH10U+200B42')
  })

  it('include those outside the basic plane', () => {
    expect(piecesOf('a\u{e0041}')).to.deep.equal([
      { text: 'a', isMark: false },
      { text: 'U+E0041', isMark: true },
    ])
  })

  it('do not include the joiner that keeps a payer’s `<td>` from being read as a tag of the mail', () => {
    const text = plainOf('<html><body><p>Noi dung: &lt;td&gt; &lt;/TR&gt; &lt;!-- DH\u206042</p></body></html>')
    expect(text).to.contain('<\u2060td> <\u2060/TR> <\u2060!--')
    expect(marked(text)).to.contain('<td> </TR> <!-- DHU+206042')
    expect(piecesOf('1 <\u20602').map((piece) => piece.text)).to.deep.equal(['1 <', 'U+2060', '2'])
  })

  it('do not include those that belong to an emoji', () => {
    for (const text of ['Tiệm hoa ❤️', 'Cà phê ☕️', 'Nhà 👨‍👩‍👧‍👦 vui', 'Cờ 🏳️‍🌈', 'Thợ 👩🏽‍🍳', 'Số 1️⃣', '❤︎'])
      expect(marked(text)).to.equal(text)
    // Elsewhere they hide something.
    expect(marked('DH10\ufe0f42')).to.equal('DH10U+FE0F42')
    expect(marked('DH\u200d1042 ❤\u200d1')).to.equal('DHU+200D1042 ❤U+200D1')
    expect(marked('❤\ufe0f\ufe0f')).to.equal('❤\ufe0fU+FE0F')
  })

  it('do not include Vietnamese letters, blanks and line breaks', () => {
    const text = 'Nguyễn Văn A\nchuyển tiền\u0323'
    expect(piecesOf(text)).to.deep.equal([{ text, isMark: false }])
  })
})
