import { expect } from 'chai'
import { openWaiters } from '../../../../projections/engine/waiters.ts'

describe('a wait for read models', () => {
  const waiters = () => openWaiters((a, b) => Number(a) > Number(b))

  it('ends at once if the position has been passed', async () => {
    const some = waiters()
    some.reached('10')
    expect(await some.passed('10', 0)).to.equal(true)
    expect(await some.passed('9', 0)).to.equal(true)
    expect(await some.passed('11', 1)).to.equal(false)
  })

  it('ends for every caller whose position was reached, and for no other', async () => {
    const some = waiters()
    const answers: string[] = []
    const waiting = ['5', '6', '7'].map((position) =>
      some.passed(position, 10_000).then((passed) => answers.push(`${position} ${passed}`)),
    )
    some.reached('6')
    await Promise.all(waiting.slice(0, 2))
    expect(answers).to.deep.equal(['5 true', '6 true'])
    some.reached('100')
    await Promise.all(waiting)
  })

  it('is known to the code that holds a batch back, from its beginning to its end', async () => {
    const some = waiters()
    // Longer than the test may take: it ends with the caller.
    const awaited = some.awaited(3_600_000)
    expect(some.isAwaited()).to.equal(false)
    const waiting = some.passed('5', 60_000)
    await awaited
    await some.awaited(3_600_000)
    expect(some.isAwaited()).to.equal(true)
    some.reached('5')
    expect(await waiting).to.equal(true)
    expect(some.isAwaited()).to.equal(false)
  })

  it('ends when its time is over', async () => {
    const some = waiters()
    expect(await some.passed('5', 1)).to.equal(false)
    expect(some.isAwaited()).to.equal(false)
    await some.awaited(1)
  })

  it('continues while the read models are emptied', async () => {
    const some = openWaiters((a, b) => BigInt(a) > BigInt(b))
    const waiting = some.passed('3', 60_000)
    some.reached(null)
    expect(some.isAwaited()).to.equal(true)
    some.reached('3')
    expect(await waiting).to.equal(true)
  })

  it('fails while the read models are rebuilt', async () => {
    const some = waiters()
    some.reached('10')
    some.reached(null)
    expect(some.position()).to.equal(null)
    expect(await some.passed('3', 1)).to.equal(false)
  })
})
