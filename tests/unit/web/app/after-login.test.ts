import { expect } from 'chai'
import { afterLogin } from '../../../../web/app/after-login.ts'

const ORIGIN = 'https://pay.example.vn'
const to = (next: string | undefined) => afterLogin(next, ORIGIN)
const START = `${ORIGIN}/`

describe('the address after the login', () => {
  it('is the screen that was asked for, with its query and fragment', () => {
    expect(to('/transactions?type=credit&page=2#top')).to.equal(`${ORIGIN}/transactions?type=credit&page=2#top`)
    expect(to('/transactions?search=a//b')).to.equal(`${ORIGIN}/transactions?search=a//b`)
  })

  it('is the start if none was asked for', () => {
    expect([to(undefined), to('')]).to.deep.equal([START, START])
  })

  it('is never another host, however the address is written', () => {
    for (const next of [
      '//evil.example/',
      '/\\evil.example/',
      '\\\\evil.example/',
      'https://evil.example/',
      'https:evil.example',
      ' //evil.example/',
      '///evil.example/',
      '/%09/evil.example/',
      '/%0a/evil.example/',
      '/%0d/evil.example/',
      '/%0d%0a\\evil.example/',
      '%09//evil.example/',
      'javascript:alert(1)',
      'data:text/html,x',
      `blob:${ORIGIN}/1`,
      '//[',
      `//pay.example.vn:444/`,
      'http://pay.example.vn/',
    ])
      expect(to(decodeURIComponent(next)), next).to.equal(START)
  })

  it('stays on this host if its path begins with two slashes', () => {
    for (const next of ['/.//evil.example/', '/x/..//evil.example/', '/%2e//evil.example/'])
      expect(new URL(to(next), ORIGIN).origin, next).to.equal(ORIGIN)
  })
})
