import { expect } from 'chai'
import { Waiters } from '../../../../projections/engine/waiters.ts'

describe('waiting for read models', () => {
  const waiters = () => new Waiters((a, b) => Number(a) > Number(b))

  it('answers at once what has been passed', async () => {
    const some = waiters()
    some.reached('10')
    expect(await some.passed('10', 0)).to.equal(true)
    expect(await some.passed('9', 0)).to.equal(true)
    expect(await some.passed('11', 1)).to.equal(false)
  })

  it('answers everybody whose place was reached, and only them', async () => {
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

  it('knows nothing while they are built anew', async () => {
    const some = waiters()
    some.reached('10')
    some.reached(null)
    expect(some.position).to.equal(null)
    expect(await some.passed('3', 1)).to.equal(false)
  })
})
