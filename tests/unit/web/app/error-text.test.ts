import { expect } from 'chai'
import { errorCode, errorText } from '../../../../web/app/error-text.ts'

const TEXTS = {
  dns: ['The name is unknown', 'Check it.'],
  http_404: ['Nothing is there', 'Check the path.'],
  http_4xx: ['It was refused', 'See the answer.'],
  http_gateway: ['The shop gave its proxy no answer', 'Check the server.'],
  http_5xx: ['The shop had an error', 'See its log.'],
  other: ['It could not be sent', 'See below.'],
} as const

describe('the text of a class of error', () => {
  it('is its own, that of its family, or a general one', () => {
    const what = (error: string | null) => errorText(TEXTS, error)[0]
    expect(what('dns')).to.equal('The name is unknown')
    expect(what('http_404')).to.equal('Nothing is there')
    expect(what('http_418')).to.equal('It was refused')
    for (const status of [502, 504, 520, 526, 530])
      expect(what(`http_${status}`), String(status)).to.equal('The shop gave its proxy no answer')
    for (const status of [500, 503, 531]) expect(what(`http_${status}`)).to.equal('The shop had an error')
    expect(what('http_302')).to.equal('It could not be sent')
    expect(what('quicksand')).to.equal('It could not be sent')
    expect(what(null)).to.equal('It could not be sent')
  })

  it('is followed by the status of the answer, or by the class if it has no text', () => {
    expect(errorCode(TEXTS, 'http_502')).to.equal('HTTP 502')
    expect(errorCode(TEXTS, 'dns')).to.equal('')
    expect(errorCode(TEXTS, 'quicksand')).to.equal('quicksand')
  })
})
