import { expect } from 'chai'
import { checkedAddresses } from '../../../../adapters/webhook-sender/checked-addresses.ts'

describe('the addresses of a host name', () => {
  const of = (...addresses: string[]) =>
    checkedAddresses('shop.example', { allowPrivate: false, resolve: () => Promise.resolve(addresses) })

  it('are limited to the first three in order, because a name may have any number', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `203.0.114.${index}`)
    expect(await of(...many)).to.deep.equal(many.slice(0, 3))
  })

  it('include one of the other family, because the machine may have a route for that one only', async () => {
    const ipv4 = ['203.0.114.1', '203.0.114.2', '203.0.114.3', '203.0.114.4']
    const ipv6 = ['2606:4700::1', '2606:4700::2']
    expect(await of(...ipv4, ...ipv6)).to.deep.equal([...ipv4.slice(0, 2), ipv6[0]])
    expect(await of(ipv4[0]!, ...ipv6)).to.deep.equal([ipv4[0], ...ipv6])
    expect(await of(...ipv4.slice(0, 3))).to.deep.equal(ipv4.slice(0, 3))
  })

  it('are all refused if one is private, even beyond the first three, or if there are none', async () => {
    for (const addresses of [['203.0.114.1', '203.0.114.2', '203.0.114.3', '10.0.0.1'], []])
      expect(await of(...addresses).catch((error: Error) => error)).to.include({ kind: 'private_address' })
  })
})
