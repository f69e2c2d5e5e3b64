import { expect } from 'chai'
import { createFirst } from '../../../../domain/account/access.ts'
import type { Language } from '../../../../domain/account/language.ts'

const shopName = (language?: Language): string | undefined => {
  const registration = { user_id: 1, email: 'owner@baoco.local', name: null, password_hash: 'argon', at: new Date() }
  const secrets = { system_id: 2, key_hash: 'k', receive_url: { token_hash: 't', sealed_token: 's' } }
  const events = createFirst({ ...registration, language }, secrets)
  return events.flatMap(({ type, data }) => (type === 'SystemAdded' ? data.name : []))[0]
}

describe('the account of the first start', () => {
  it('has a shop with a name in its language', () => {
    expect(shopName()).to.equal('Cửa hàng của tôi')
    expect(shopName('vi')).to.equal('Cửa hàng của tôi')
    expect(shopName('en')).to.equal('My shop')
  })
})
