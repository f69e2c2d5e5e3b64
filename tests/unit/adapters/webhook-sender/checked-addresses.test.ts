import { expect } from 'chai'
import { checkedAddresses } from '../../../../adapters/webhook-sender/checked-addresses.ts'

describe('the addresses of a name', () => {
  const of = (...addresses: string[]) =>
    checkedAddresses('shop.example', { allowPrivate: false, resolve: () => Promise.resolve(addresses) })

  it('are tried in their order, the first few: a name may have any number', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `203.0.114.${index}`)
    expect(await of(...many)).to.deep.equal(many.slice(0, 3))
  })

  it('are none of them trusted where one is private, even one that would not be tried, or there are none', async () => {
    for (const addresses of [['203.0.114.1', '203.0.114.2', '203.0.114.3', '10.0.0.1'], []])
      expect(await of(...addresses).catch((error: Error) => error)).to.include({ kind: 'private_address' })
  })
})
