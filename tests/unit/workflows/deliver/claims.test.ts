import { expect } from 'chai'
import type { LogEntry, Slice } from '../../../../domain/ports.ts'
import { Claims, type ClaimsOptions } from '../../../../workflows/deliver/claims.ts'
import type { Lanes } from '../../../../workflows/deliver/lanes.ts'
import type { Claimed, DeliveryQueue } from '../../../../workflows/deliver/queue.ts'
import { TrackedTransactions } from '../../../../workflows/deliver/tracked.ts'

const claimOf = (transaction_id: number): Claimed =>
  ({ transaction_id, rule_id: 7, user_id: 5, attempt: 1, transaction: {}, deliveries: [] }) as unknown as Claimed

/** Claims of the worker `me` in a queue that has these claims of it, in this order. */
const opened = (inQueue: number[], options: Partial<ClaimsOptions> = {}) => {
  const tracked = new TrackedTransactions()
  const read: Slice[] = []
  const begun: number[] = []
  const searches: { workers: readonly string[]; limit: number }[] = []
  let during = (): void => {}
  const claims = new Claims({
    worker: 'me',
    queue: {
      takeOver: (_: string, workers: readonly string[], limit: number) => {
        searches.push({ workers, limit })
        during()
        const found = workers.includes('me') ? inQueue.slice(0, limit) : []
        return Promise.resolve({ claimed: found.map(claimOf), orphans: [] })
      },
    } as unknown as DeliveryQueue,
    store: { read: (slices) => Promise.resolve(slices.map((slice) => (read.push(slice), []))) },
    tracked,
    lanes: {} as Lanes,
    dead: () => ['dead'],
    isFirst: () => true,
    beingClaimed: () => [],
    begin: (claimed) => begun.push(...idsOf(claimed)),
    endOrphan: () => {},
    stopping: new AbortController().signal,
    onLost: () => {},
    onError: () => {},
    ...options,
  })
  return {
    claims,
    read,
    begun,
    searches,
    hold: (id: number) => tracked.holdRead(claimOf(id), []),
    letGo: (id: number) => tracked.release(claimOf(id)),
    whileSearching: (act: () => void) => (during = act),
  }
}

const idsOf = (claimed: readonly Claimed[]): number[] => claimed.map(({ transaction_id }) => transaction_id)

describe('a search for claims whose response was lost', () => {
  const { now } = performance
  afterEach(() => {
    performance.now = now
  })
  const minuteLater = () => {
    const later = performance.now() + 61_000
    performance.now = () => later
  }

  it('leaves alone what this worker held at its beginning or holds at its end', async () => {
    const { claims, hold, letGo, whileSearching } = opened([1, 2, 3])
    claims.mayHaveLost()
    hold(1)
    whileSearching(() => {
      // One goes back to the queue, another is claimed.
      letGo(1)
      hold(2)
    })
    expect(idsOf((await claims.takeOver(10)).claimed)).to.deep.equal([3])
  })

  it('finds a lost claim behind those that this worker holds or is making, however many', async () => {
    const { claims, hold, searches } = opened([1, 2, 3, 4], { beingClaimed: () => [3] })
    for (const id of [1, 2]) hold(id)
    expect((await claims.takeOver(1)).claimed).to.be.empty
    claims.mayHaveLost()
    expect(idsOf((await claims.takeOver(1)).claimed)).to.deep.equal([4])
    expect(searches).to.deep.equal([
      { workers: ['dead'], limit: 1 },
      { workers: ['dead', 'me'], limit: 4 },
    ])
  })

  it('is made even if there was no room for it for a minute, and again if it is unclear what was lost', async () => {
    let beingClaimed = [1]
    const { claims, searches } = opened([1], { beingClaimed: () => beingClaimed })
    claims.mayHaveLost()
    minuteLater()
    expect(await claims.takeOver(10)).to.deep.equal({ claimed: [], orphans: [], hasMore: true })
    beingClaimed = []
    const { claimed, hasMore } = await claims.takeOver(10)
    expect([idsOf(claimed), hasMore]).to.deep.equal([[1], false])
    await claims.takeOver(10)
    expect(searches.map(({ workers }) => workers.includes('me'))).to.deep.equal([true, true, false])
  })
})

describe('first attempts that were claimed', () => {
  const entry = (type: LogEntry['type']) =>
    new Map([[1, { type, transaction_id: 1, revision: 0, correlation_id: null } as LogEntry]])

  it('begin without a read of their stream only if nothing can have happened since the capture', async () => {
    const fresh = opened([])
    await fresh.claims.beginFirst([claimOf(1)], entry('TransactionCaptured'))
    expect([fresh.begun, fresh.read]).to.deep.equal([[1], []])
    // Their streams show that they are not to be made.
    for (const [options, entries] of [
      [{}, entry('TransactionCompleted')],
      [{ isFirst: () => false }, entry('TransactionCaptured')],
      [{}, new Map()],
    ] as const) {
      const { claims, begun, read } = opened([], options)
      await claims.beginFirst([claimOf(1)], entries)
      expect([begun, read]).to.deep.equal([[], [{ stream: 'transaction-1' }]])
    }
  })
})
