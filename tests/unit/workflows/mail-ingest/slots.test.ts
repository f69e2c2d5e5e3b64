import { expect } from 'chai'
import { openSlots } from '../../../../workflows/mail-ingest/slots.ts'
import { Violations } from '../../../../workflows/mail-ingest/violations.ts'

/** Work that ends when the test calls `end`. */
const openWork = () => {
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  return { work: () => ended, end }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('slots', () => {
  it('are given in the order of the requests', async () => {
    const slots = openSlots(1)
    const started: number[] = []
    const works = [1, 2, 3].map((n) => ({ n, ...openWork() }))
    const all = works.map(({ n, work }) => slots.use(n, () => (started.push(n), work())))
    expect(started).to.deep.equal([1])
    for (const { end } of works) {
      end()
      await turn()
    }
    await Promise.all(all)
    expect(started).to.deep.equal([1, 2, 3])
  })

  it('skip an owner that already has its share', async () => {
    const slots = openSlots(3, 2)
    const started: string[] = []
    const hostile = [openWork(), openWork(), openWork()]
    const all = hostile.map(({ work }, n) => slots.use(1, () => (started.push(`hostile ${n}`), work())))
    const other = slots.use(2, async () => void started.push('other'))
    await other
    expect(started).to.deep.equal(['hostile 0', 'hostile 1', 'other'])
    hostile[0]!.end()
    await turn()
    expect(started.at(-1)).to.equal('hostile 2')
    const more = slots.use(1, async () => void started.push('hostile 3'))
    await turn()
    expect(started.at(-1)).to.equal('hostile 2')
    for (const { end } of hostile) end()
    await Promise.all([...all, more])
  })

  it('are released after work that fails', async () => {
    const slots = openSlots(1)
    await slots.use(1, () => Promise.reject(new Error('x'))).catch(() => {})
    expect(await slots.use(2, () => Promise.resolve('done'))).to.equal('done')
  })
})

describe('violations', () => {
  const HOUR = 3_600_000
  it('are too many at the third in a day', () => {
    const violations = new Violations()
    expect([0, HOUR, 2 * HOUR].map((at) => violations.add(at))).to.deep.equal([false, false, true])
  })
  it('expire after a day', () => {
    const violations = new Violations()
    expect([0, 12 * HOUR, 25 * HOUR].map((at) => violations.add(at))).to.deep.equal([false, false, false])
    expect(violations.add(26 * HOUR)).to.equal(true)
  })
})
