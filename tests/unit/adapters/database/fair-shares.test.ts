import { expect } from 'chai'
import { fairShares, type Shares } from '../../../../adapters/database/fair-shares.ts'
import type { Queryable } from '../../../../projections/engine/queryable.ts'

const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('a part of a pool that accounts share', () => {
  let running: Map<string, (error?: Error) => void>
  let pool: Queryable
  beforeEach(() => {
    running = new Map()
    pool = {
      query: (text) =>
        new Promise((resolve, reject) => {
          running.set(text, (error) => (running.delete(text), error ? reject(error) : resolve([])))
        }),
    }
  })
  const part = (shares: Shares, waitMs = 60_000, late = () => new Error('late')) => {
    const { of } = fairShares(pool, shares, waitMs, late)
    /** Each letter is a query of this account. @returns its answers */
    return (user: number | null, names: string) => {
      const asked = [...names].map((name) =>
        of(user)
          .query(name)
          .catch((error: Error) => error.message),
      )
      return () => Promise.all(asked)
    }
  }
  const now = async () => {
    await soon()
    return [...running.keys()].join('')
  }
  const end = async (names: string) => {
    for (const name of names) running.get(name)!()
    return now()
  }
  const endAll = async () => {
    while (await now()) await end(await now())
  }

  it('runs as many queries at a time as it has connections, and the others in order', async () => {
    const answers = part({ most: 2, mostOfOne: 2 })(1, 'abcd')
    expect(await now()).to.equal('ab')
    expect(await end('b')).to.equal('ac')
    running.get('a')!(new Error('broken'))
    expect(await now()).to.equal('cd')
    await endAll()
    expect(await answers()).to.deep.equal(['broken', [], [], []])
  })

  it('leaves connections to others, however much one account asks', async () => {
    const ask = part({ most: 6, mostOfOne: 4 })
    ask(1, 'abcdefghijklmnop')
    expect(await now()).to.equal('abcd')
    ask(2, 'X')
    ask(null, 'Y')
    expect(await now(), 'at once').to.equal('abcdXY')
    expect(await end('X'), 'not more than four').to.equal('abcdY')
    expect(await end('ab')).to.equal('cdYef')
    await endAll()
  })

  it('gives the next free turn to an account without a running query, and turns go round', async () => {
    const ask = part({ most: 4, mostOfOne: 3 })
    ask(1, 'abcdef')
    ask(2, 'ABCDEF')
    expect(await now()).to.equal('abcA')
    ask(3, '123')
    ask(4, '4')
    expect(await end('a')).to.equal('bcA1')
    expect(await end('b')).to.equal('cA14')
    expect(await end('4'), 'each has one; none of the second has ended').to.equal('cA1B')
    expect(await end('c')).to.equal('A1Bd')
    expect(await end('A'), 'each has one; none of the third has ended').to.equal('1Bd2')
    await endAll()
  })

  it('gives each of many waiting accounts one turn before any has a second', async () => {
    const ask = part({ most: 1, mostOfOne: 1 })
    ask(1, 'aei')
    ask(2, 'bf')
    ask(3, 'cg')
    ask(4, 'dh')
    let order = ''
    for (let next = await now(); next; next = await end(next)) order += next
    expect(order).to.equal('abcdefghi')
  })

  it('passes on the turn that comes while its caller gives up', async () => {
    const ask = part({ most: 1, mostOfOne: 1 }, 1, () => {
      running.get('a')!()
      return new Error('late')
    })
    const [first, second] = [ask(1, 'a'), ask(2, 'b')]
    expect([await first(), await second()]).to.deep.equal([[[]], ['late']])
    ask(2, 'c')
    expect(await now()).to.equal('c')
    await endAll()
  })

  it('does not send a query whose caller has given up', async () => {
    const ask = part({ most: 2, mostOfOne: 1 }, 1)
    ask(1, 'a')
    ask(2, 'b')
    const late = [ask(1, 'c'), ask(2, 'd'), ask(3, 'e')]
    expect(await Promise.all(late.map((answers) => answers()))).to.deep.equal([['late'], ['late'], ['late']])
    expect(await end('a')).to.equal('b')
    ask(3, 'f')
    expect(await now()).to.equal('bf')
    expect(await end('f')).to.equal('b')
    ask(1, 'g')
    expect(await now()).to.equal('bg')
    await endAll()
  })

  it('remembers no account whose queries have ended or given up', async () => {
    const lines = new Map()
    const { of } = fairShares(pool, { most: 1, mostOfOne: 1 }, 1, () => new Error('late'), lines)
    const gaveUp = [1, 1, 2, 3].map((user, at) =>
      of(user)
        .query(`${at}`)
        .catch(() => {}),
    )
    expect(lines.size).to.equal(3)
    await Promise.all(gaveUp.slice(1))
    expect([...lines.keys()]).to.deep.equal([1])
    await endAll()
    expect(lines.size).to.equal(0)
  })
})
