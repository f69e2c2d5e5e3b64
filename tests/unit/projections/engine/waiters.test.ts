import { expect } from 'chai'
import { Waiters } from '../../../../projections/engine/waiters.ts'

describe('a wait for read models', () => {
  const waiters = () => new Waiters((a, b) => Number(a) > Number(b))

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
    const waiting = ['5', '6', '7'].map((place) =>
      some.passed(place, 10_000).then((passed) => answers.push(`${place} ${passed}`)),
    )
    some.reached('6')
    await Promise.all(waiting.slice(0, 2))
    expect(answers).to.deep.equal(['5 true', '6 true'])
    some.reached('100')
    await Promise.all(waiting)
  })

  it('fails while the read models are rebuilt', async () => {
    const some = waiters()
    some.reached('10')
    some.reached(null)
    expect(some.position).to.equal(null)
    expect(await some.passed('3', 1)).to.equal(false)
  })
})
