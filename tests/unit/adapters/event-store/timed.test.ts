import { expect } from 'chai'
import { timed, type SlowCalls, type StoreCall } from '../../../../adapters/event-store/timed.ts'
import { StoreUnavailable } from '../../../../domain/errors.ts'
import type { EventStore } from '../../../../domain/ports.ts'

describe('a timed event store', () => {
  let now: number
  let takes: number
  let calls: [StoreCall, number][]
  let slow: SlowCalls[]
  const answer = async <Result>(result: Result): Promise<Result> => {
    now += takes
    return result
  }
  const store = timed(
    {
      read: () => answer([]),
      readAll: () => answer([]),
      append: () => answer([]).then(() => Promise.reject(new StoreUnavailable('away'))),
    } as unknown as EventStore,
    { onCall: (call, ms) => calls.push([call, ms]), onSlow: (each) => slow.push(each), elapsed: () => now },
  )
  before(() => {
    now = 1_000_000
    calls = []
    slow = []
  })

  it('measures every call, failed ones too', async () => {
    takes = 5
    await store.read([])
    await store.readAll(null, 1)
    await store.append([]).catch(() => {})
    expect(calls).to.deep.equal([
      ['read', 5],
      ['read_all', 5],
      ['append', 5],
    ])
    expect(slow).to.deep.equal([])
  })

  it('reports the first slow call at once, and later ones together after ten seconds', async () => {
    takes = 2_500
    await store.read([{ stream: 'a' }, { stream: 'b' }])
    expect(slow).to.deep.equal([{ call: 'read', calls: 1, longest_ms: 2_500, streams: 2 }])
    takes = 3_000
    await store.read([{ stream: 'a' }])
    takes = 4_000
    await store.readAll(null, 1)
    expect(slow).to.have.length(1)
    takes = 3_500
    await store.read([{ stream: 'a' }])
    expect(slow[1]).to.deep.equal({ call: 'read_all', calls: 3, longest_ms: 4_000, streams: 0 })
  })

  it('reports a slow call that failed only if the store answered others meanwhile: otherwise it is away', async () => {
    slow = []
    takes = 12_000
    for (let tries = 0; tries < 3; tries++) await store.append([]).catch(() => {})
    expect(calls.at(-1)).to.deep.equal(['append', 12_000])
    expect(slow).to.deep.equal([])
    const failing = store.append([]).catch(() => {})
    takes = 0
    await store.read([])
    await failing
    expect(slow.map(({ call }) => call)).to.deep.equal(['append'])
  })
})
