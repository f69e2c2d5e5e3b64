import { expect } from 'chai'
import { Pools } from '../../../../adapters/webhook-sender/pools.ts'

const CALL = { bodyBytes: 0, end: () => {}, onStatusLine: () => {} }
const MOST_ORIGINS = 1_000

describe('connections to endpoints', () => {
  let pools: Pools
  beforeEach(() => void (pools = new Pools(() => {})))
  afterEach(() => pools.close())

  const take = (origin: string) => pools.take(`https://${origin}.test`, CALL)
  /** Makes calls to so many other origins, one after another. */
  const callOthers = (count: number): void => {
    for (let number = 0; number < count; number++) take(`other${number}`).done(true)
  }

  it('are reused, the one that was used last first, unless an answer was not read to its end', () => {
    const [one, other, cut] = [take('shop'), take('shop'), take('shop')]
    one.done(true)
    other.done(true)
    cut.done(false)
    expect(take('shop').client).to.equal(other.client)
    expect(take('shop').client).to.equal(one.client)
    expect(take('shop').client).to.not.be.oneOf([one.client, other.client, cut.client])
    expect(cut.client.destroyed).to.equal(true)
  })

  it('of the origin that was idle longest are closed if there are too many origins', () => {
    const [busy, used] = [take('busy'), take('used')]
    const idle = take('busy')
    idle.done(true)
    used.done(true)
    callOthers(MOST_ORIGINS - 2)
    take('used').done(true)
    take('new').done(true)
    expect(pools.size).to.equal(MOST_ORIGINS)
    expect(take('busy').client).to.equal(idle.client)
    expect(take('used').client).to.equal(used.client)
    busy.done(true)
  })

  it('are all closed with the sender', async () => {
    const [idle, busy] = [take('shop'), take('shop')]
    idle.done(true)
    await pools.close()
    expect([idle.client.destroyed, busy.client.destroyed]).to.deep.equal([true, true])
  })
})
