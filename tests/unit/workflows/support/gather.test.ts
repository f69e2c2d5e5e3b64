import { expect } from 'chai'
import { Gather, type GatherOptions } from '../../../../workflows/support/gather.ts'
import { eventually } from '../../../harness/eventually.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A gatherer of numbers. Its calls end when the test ends them. */
const setUp = (options: Partial<GatherOptions<number[]>> = {}) => {
  const items: number[] = []
  const calls: number[][] = []
  const ends: (() => void)[] = []
  const gather = new Gather<number[]>({
    apartMs: 60_000,
    take: () => (items.length > 0 ? items.splice(0) : null),
    handle: (group) => {
      calls.push(group)
      return new Promise<void>((resolve) => ends.push(resolve))
    },
    ...options,
  })
  const add = (...added: number[]) => {
    for (const item of added) {
      items.push(item)
      gather.added()
    }
  }
  return { gather, calls, add, waiting: () => items, endOne: () => ends.shift()!(), endAll: () => ends.splice(0).forEach((end) => end()) } // prettier-ignore
}

describe('gather', () => {
  it('handles a first item in the same turn of the event loop, with all that arrive in it', async () => {
    const { calls, add } = setUp()
    add(1, 2, 3)
    expect(calls).to.deep.equal([])
    await turn()
    expect(calls).to.deep.equal([[1, 2, 3]])
  })

  it('collects the items that arrive during a call, and after it until the time is over', async () => {
    const { now } = performance
    const { setTimeout: set } = globalThis
    let time = 1_000
    const timers: { ms: number; end: () => void }[] = []
    performance.now = () => time
    globalThis.setTimeout = ((end: () => void, ms: number) => {
      timers.push({ ms, end })
      return set(() => {}, 0)
    }) as typeof setTimeout
    try {
      const { calls, add, endOne } = setUp({ apartMs: 20 })
      add(1)
      await turn()
      add(2)
      await turn()
      time += 8
      endOne()
      await turn()
      add(3)
      await turn()
      expect(calls).to.deep.equal([[1]])
      expect(timers.map(({ ms }) => ms)).to.deep.equal([12])
      timers[0]!.end()
      expect(calls).to.deep.equal([[1], [2, 3]])
    } finally {
      performance.now = now
      globalThis.setTimeout = set
    }
  })

  it('does not wait for the time if there are enough items', async () => {
    const { calls, add, endOne, waiting } = setUp({ isEnough: (): boolean => waiting().length >= 3 })
    add(1)
    await turn()
    endOne()
    await turn()
    add(2, 3)
    await turn()
    expect(calls).to.deep.equal([[1]])
    add(4)
    await turn()
    expect(calls).to.deep.equal([[1], [2, 3, 4]])
  })

  it('lets a first item wait too, if it must', async () => {
    const { calls, add } = setUp({ apartMs: 10, waitsFirst: true })
    add(1)
    await turn()
    expect(calls).to.deep.equal([])
    await eventually(() => calls.length === 1)
  })

  it('makes no more calls side by side than allowed', async () => {
    const { calls, add, endOne } = setUp({ apartMs: 0, sideBySide: 2 })
    for (const item of [1, 2, 3, 4]) {
      add(item)
      await turn()
    }
    expect(calls).to.deep.equal([[1], [2]])
    endOne()
    await eventually(() => calls.length === 3)
    expect(calls[2]).to.deep.equal([3, 4])
  })

  it('handles everything at once in a flush, and resolves when all calls have ended', async () => {
    const { gather, calls, add, endAll } = setUp({ waitsFirst: true })
    let isOver = false
    add(1)
    const flushed = gather.flush().then(() => (isOver = true))
    expect(calls).to.deep.equal([[1]])
    add(2)
    endAll()
    await eventually(() => calls.length === 2)
    expect(isOver).to.equal(false)
    endAll()
    await flushed
    expect(calls).to.deep.equal([[1], [2]])
  })

  it('flushes an empty collection without a call', async () => {
    const { gather, calls } = setUp()
    await gather.flush()
    expect(calls).to.deep.equal([])
  })
})
