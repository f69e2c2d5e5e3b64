import { expect } from 'chai'
import { inboxTokenIn } from '../../../../adapters/inbox/url.ts'

const BASE_URL = 'https://pay.example.com/baoco'

describe('the URL of an inbox', () => {
  it('is recognized in every equivalent spelling', () => {
    for (const written of [
      'https://pay.example.com/baoco/inbox/7.abc',
      'HTTPS://PAY.example.com:443/baoco/inbox/7.abc?shop=1#x',
      'https://pay.example.com/else/../baoco/inbox/7.abc',
      'https:\\\\pay.example.com\\baoco\\inbox\\7.abc',
      'https://pay.example.com/baoco/in\tbox/7.abc',
    ])
      expect(inboxTokenIn(written, BASE_URL), written).to.equal('7.abc')
  })

  it('is not confused with another URL of this service or of another host', () => {
    for (const other of [
      'https://shop.vn/webhook',
      'https://shop.vn/baoco/inbox/7.abc',
      'http://pay.example.com/baoco/inbox/7.abc',
      'https://user@pay.example.com/baoco/inbox/7.abc',
      'https://:password@pay.example.com/baoco/inbox/7.abc',
      'https://pay.example.com/baoco/other/7.abc?inbox',
      'https://pay.example.com/baoco/inbox/',
      'https://pay.example.com/baoco/inbox/7.abc/more',
      'https://pay.example.com/baoco/%69nbox/7.abc',
      'inbox',
    ])
      expect(inboxTokenIn(other, BASE_URL), other).to.equal(null)
  })
})
