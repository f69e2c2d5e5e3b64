import { expect } from 'chai'
import { atMost } from '../../../../adapters/database/at-most.ts'
import type { Queryable } from '../../../../projections/engine/queryable.ts'

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('a part of a pool', () => {
  let running: Map<string, { end: (error?: Error) => void }>
  let pool: Queryable
  beforeEach(() => {
    running = new Map()
    pool = {
      query: (text) =>
        new Promise((resolve, reject) => {
          running.set(text, { end: (error) => (running.delete(text), error ? reject(error) : resolve([])) })
        }),
    }
  })
  const part = (waitMs = 60_000) => atMost(2, pool, waitMs, () => new Error('late'))
  const asked = (queries: Queryable, names: string) =>
    [...names].map((name) => queries.query(name).catch((error: Error) => error.message))

  it('runs as many queries at a time as it has connections, and the others in order', async () => {
    const answers = asked(part(), 'abcd')
    await soon()
    expect([...running.keys()]).to.deep.equal(['a', 'b'])
    running.get('b')!.end()
    await soon()
    expect([...running.keys()]).to.deep.equal(['a', 'c'])
    running.get('a')!.end(new Error('broken'))
    await soon()
    expect([...running.keys()]).to.deep.equal(['c', 'd'])
    for (const { end } of running.values()) end()
    expect(await Promise.all(answers)).to.deep.equal(['broken', [], [], []])
  })

  it('passes on the turn that comes while its caller gives up', async () => {
    const queries = atMost(1, pool, 1, () => {
      running.get('a')!.end()
      return new Error('late')
    })
    expect(await Promise.all(asked(queries, 'ab'))).to.deep.equal([[], 'late'])
    const next = asked(queries, 'c')
    await soon()
    expect([...running.keys()]).to.deep.equal(['c'])
    running.get('c')!.end()
    await Promise.all(next)
  })

  it('does not send a query whose caller has given up', async () => {
    const queries = part(1)
    const [a, b, ...late] = asked(queries, 'abcd')
    expect(await Promise.all(late)).to.deep.equal(['late', 'late'])
    expect([...running.keys()]).to.deep.equal(['a', 'b'])
    for (const { end } of running.values()) end()
    await Promise.all([a, b])
    const next = asked(queries, 'ef')
    await soon()
    expect([...running.keys()]).to.deep.equal(['e', 'f'])
    for (const { end } of running.values()) end()
    await Promise.all(next)
  })
})
