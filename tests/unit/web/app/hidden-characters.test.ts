import { expect } from 'chai'
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

  it('do not include Vietnamese letters, blanks and line breaks', () => {
    const text = 'Nguyễn Văn A\nchuyển tiền\u0323'
    expect(piecesOf(text)).to.deep.equal([{ text, isMark: false }])
  })
})
