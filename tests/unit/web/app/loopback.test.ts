import { expect } from 'chai'
import { isLoopback } from '../../../../web/app/loopback.ts'

describe('a URL of this machine alone', () => {
  it('is one that each device takes for itself', () => {
    for (const url of ['http://localhost:8080/x', 'https://127.0.0.1/', 'http://127.8.0.1:80', 'http://[::1]:8080/x'])
      expect(isLoopback(url), url).to.equal(true)
    for (const url of ['https://pay.shop.example/x', 'http://192.168.1.20:8080', 'https://localhost.shop.example'])
      expect(isLoopback(url), url).to.equal(false)
  })
})
