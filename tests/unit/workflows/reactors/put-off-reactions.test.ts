import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { tryPutOffs, type PutOff } from '../../../../workflows/reactors/put-off-reactions.ts'
import { reactor } from '../../../../workflows/reactors/reactor.ts'

const REACTION: PutOff = { reactor: 'erase', stream: 'transaction-1', revision: 2 }

/** The outcome of a postponed reaction, if this is the first event of its stream from its revision on. */
const triedWith = async (first: { type: string; revision: number } | null) => {
  const seen: string[] = []
  const reactors = [
    reactor('erase', ['transaction-'], { TransactionDeleted: async () => void seen.push('answered') }),
    reactor('other', ['transaction-'], { TransactionDeleted: async () => void seen.push('answered by another') }),
  ]
  const putOffs = { all: async () => [REACTION], keep: async () => {}, done: async () => void seen.push('done') }
  const store = { read: async () => [first === null ? [] : [first as StoredEvent]] }
  await tryPutOffs({ store, reactors, putOffs }, () => seen.push('failed'), new AbortController().signal)
  return seen
}

describe('a reaction that was put off', () => {
  it('is done, or waits while its event cannot be read', async () => {
    expect(await triedWith({ type: 'TransactionDeleted', revision: 2 })).to.deep.equal(['answered', 'done'])
    expect(await triedWith({ type: 'Unreadable', revision: 2 })).to.deep.equal(['failed'])
  })

  it('is given up if its event was erased, whatever follows it', async () => {
    for (const first of [null, { type: 'TransactionDeleted', revision: 3 }, { type: 'Unreadable', revision: 3 }])
      expect(await triedWith(first), JSON.stringify(first)).to.deep.equal(['done'])
  })

  it('is not begun after the stop', async () => {
    const stopping = new AbortController()
    const done: number[] = []
    const putOffs = {
      all: async () => [1, 2].map((revision) => ({ ...REACTION, revision })),
      keep: async () => {},
      done: async ({ revision }: PutOff) => {
        done.push(revision)
        stopping.abort()
      },
    }
    await tryPutOffs({ store: { read: async () => [[]] }, reactors: [], putOffs }, () => {}, stopping.signal)
    expect(done).to.deep.equal([1])
  })
})
