import { expect } from 'chai'
import { askedToWait, endpointOf, originOf, saysOfEndpoint } from '../../../../domain/webhook/endpoint.ts'

describe('the endpoint of a URL', () => {
  it('is its scheme, host and port', () => {
    expect(endpointOf('https://shop.vn/hook?a=1')).to.equal('https://shop.vn:443')
    expect(endpointOf('http://SHOP.vn:8080/')).to.equal('http://shop.vn:8080')
    expect(endpointOf('no url')).to.match(/^#[0-9a-f]{6}$/)
  })

  it('is shown to users without the default port', () => {
    expect(originOf('https://shop.vn:443')).to.equal('https://shop.vn')
    expect(originOf('http://shop.vn:8080')).to.equal('http://shop.vn:8080')
    expect(originOf('no url')).to.equal('no url')
  })

  it('does not ask to wait with a Retry-After of 0', () => {
    expect(askedToWait({ http_status: 429, retry_after_s: 0 })).to.equal(null)
    expect(askedToWait({ http_status: 429, retry_after_s: 1 })).to.equal(1)
  })

  it('fails without a response or with a 5xx, answers with any other status, and is not blamed for local errors', () => {
    const says = (http_status: number, error: string | null = null) => saysOfEndpoint({ http_status, error })
    expect([says(0, 'timeout'), says(0, 'refused'), says(500), says(503)].every((word) => word === 'fails')).to.equal(
      true,
    )
    expect([says(200), says(302), says(404), says(410), says(429)].every((word) => word === 'answers')).to.equal(true)
    for (const error of ['stopped', 'not_formed', 'private_address', 'invalid_url'])
      expect(says(0, error), error).to.equal(null)
  })
})
