import { expect } from 'chai'
import type { LogEntry } from '../../../../domain/ports.ts'
import { FirstAttempts, type FirstAttemptsOptions } from '../../../../workflows/deliver/first-attempts.ts'
import type { Claimed } from '../../../../workflows/deliver/queue.ts'
import { eventually } from '../../../harness/eventually.ts'

const entry = (transaction_id: number, user_id: number): LogEntry => ({
  event_id: `event ${transaction_id}`,
  type: 'TransactionCaptured',
  user_id,
  transaction_id,
  revision: 0,
  at: '2026-01-05T02:30:00.000Z',
  correlation_id: null,
  checkpoint: String(transaction_id),
})

const entries = (from: number, count: number, user: number): LogEntry[] =>
  Array.from({ length: count }, (_, index) => entry(from + index, user))

const running = (options: Partial<FirstAttemptsOptions> = {}) => {
  const claims: number[][] = []
  const waitedFor: string[] = []
  const stopping = new AbortController()
  const tries = new FirstAttempts({
    isAfter: (a, b) => Number(a) > Number(b),
    readModels: { passed: (checkpoint) => Promise.resolve(waitedFor.push(checkpoint) > 0) },
    end: () => Promise.resolve('1000000'),
    now: () => new Date('2026-01-05T02:30:01.000Z'),
    mayClaim: () => true,
    givesWay: () => false,
    roomFor: () => 100,
    isNew: () => false,
    waitsForRows: false,
    claimNew: () => Promise.resolve({ claimed: [], left: [] }),
    onPassed: () => {},
    claim: (transactions) => {
      claims.push([...transactions])
      return Promise.resolve({ claimed: [], isGated: false })
    },
    onGated: () => {},
    handOver: () => Promise.resolve(),
    onError: () => {},
    ...options,
  })
  const run = tries.run(stopping.signal)
  const stop = () => {
    stopping.abort()
    return run
  }
  return { tries, claims, waitedFor, stop }
}

describe('first attempts', () => {
  it('are claimed in the order of the log, after the read models have passed the newest', async () => {
    const { tries, claims, waitedFor, stop } = running()
    tries.note([entry(2, 1), entry(3, 1), entry(1, 1)])
    await eventually(() => claims.length === 1)
    expect(claims).to.deep.equal([[2, 3, 1]])
    expect(waitedFor).to.deep.equal(['3'])
    await stop()
  })

  it('request upcoming positions from the read models before they wait for the current claim', async () => {
    const { tries, claims, waitedFor, stop } = running()
    tries.note(entries(1, 5_000, 1))
    await eventually(() => claims.length > 0)
    expect(claims[0]).to.have.length(100)
    expect(waitedFor.slice(0, 2)).to.deep.equal(['2148', '100'])
    await stop()
  })

  it('share each claim among all users', async () => {
    const { tries, claims, stop } = running()
    tries.note([...entries(1, 1_000, 1), ...entries(2_001, 5, 2)])
    await eventually(() => claims.length > 0)
    expect(claims[0]!.filter((transaction) => transaction > 2_000)).to.have.length(5)
    expect(claims[0]!.length).to.equal(69)
    await eventually(() => claims.flat().length === 1_005)
    await stop()
  })

  it('wait until their user has room, without delaying other users', async () => {
    let room = 0
    const { tries, claims, stop } = running({ roomFor: (user) => (user === 1 ? room : 100) })
    tries.note([entry(1, 1), entry(2, 2)])
    await eventually(() => claims.length === 1)
    expect(claims).to.deep.equal([[2]])
    room = 1
    tries.wake()
    await eventually(() => claims.length === 2)
    expect(claims[1]).to.deep.equal([1])
    await stop()
  })

  it('are all claimed at the end without regard to room, so another worker makes them', async () => {
    const { tries, claims, stop } = running({ roomFor: () => 0 })
    tries.note([...entries(1, 300, 1), ...entries(2_001, 5, 2)])
    await stop()
    await tries.claimRest()
    expect(claims.flat()).to.have.length(305)
    await tries.claimRest()
    expect(claims.flat()).to.have.length(305)
  })

  it('wait for late read models, and stay ahead of later entries', async () => {
    let looks = 0
    const { tries, claims, stop } = running({
      readModels: {
        passed: () => {
          if (++looks === 1) tries.note([entry(4, 1)])
          return Promise.resolve(looks > 2)
        },
      },
    })
    tries.note([entry(1, 1), entry(2, 1), entry(3, 2)])
    await eventually(() => claims.length > 0)
    expect(claims).to.have.length(1)
    expect(claims[0]!.filter((transaction) => transaction !== 3)).to.deep.equal([1, 2, 4])
    expect(claims[0]).to.include(3)
    await stop()
  })

  it('wait for late read models even if the end of the store is not known', async () => {
    let looks = 0
    const { tries, claims, stop } = running({
      readModels: { passed: () => Promise.resolve(++looks > 1) },
      end: () => Promise.reject(new Error('the store is down')),
    })
    tries.note([entry(1, 1)])
    await eventually(() => claims.length > 0)
    expect(claims).to.deep.equal([[1]])
    await stop()
  })

  it('that went back to the queue are claimed again as soon as this worker may claim', async () => {
    let asked = 0
    const { tries, claims, stop } = running({ mayClaim: () => ++asked > 3 })
    await tries.claimAgain([{ transaction_id: 1, rule_id: 7, attempt: 1 }], new AbortController().signal)
    expect(asked).to.equal(4)
    expect(claims).to.deep.equal([[1]])
    await stop()
  })

  it('that went back to the queue stay there if the worker ends before it may claim', async () => {
    const { tries, claims, stop } = running({ mayClaim: () => false })
    const ending = new AbortController()
    const again = tries.claimAgain([{ transaction_id: 1, rule_id: 7, attempt: 1 }], ending.signal)
    ending.abort()
    await again
    expect(claims).to.deep.equal([])
    await stop()
  })

  it('are looked for in the queue if their rules pass calls one by one', async () => {
    let gated = 0
    const { tries, stop } = running({
      claim: ([transaction]) => Promise.resolve({ claimed: [], isGated: transaction === 2 }),
      onGated: () => gated++,
    })
    for (const id of [1, 2])
      await tries.claimAgain([{ transaction_id: id, rule_id: 7, attempt: 1 }], new AbortController().signal)
    expect(gated).to.equal(1)
    await stop()
  })

  it('are claimed again soon after a failed claim, and stay ahead of later entries', async () => {
    const claims: number[][] = []
    const errors: unknown[] = []
    const { tries, stop } = running({
      claim: (transactions) => {
        claims.push([...transactions])
        if (claims.length > 1) return Promise.resolve({ claimed: [], isGated: false })
        tries.note([entry(3, 1)])
        return Promise.reject(new Error('Connection terminated'))
      },
      onError: (error) => errors.push(error),
    })
    tries.note([entry(1, 1), entry(2, 1)])
    await eventually(() => claims.length === 2)
    expect(claims).to.deep.equal([
      [1, 2],
      [1, 2, 3],
    ])
    expect(errors).to.have.length(1)
    await stop()
  })

  it('are left to the queue if the read models are not there until the attempts are due', async () => {
    const asked: string[] = []
    const { tries, claims, stop } = running({
      now: () => new Date('2026-01-05T02:31:00.000Z'),
      readModels: { passed: (checkpoint) => Promise.resolve(asked.push(checkpoint) > 1) },
    })
    tries.note([entry(1, 1)])
    await eventually(() => asked.length === 1)
    tries.note([entry(2, 1)])
    await eventually(() => claims.length > 0)
    expect(claims).to.deep.equal([[2]])
    await stop()
  })

  it('of the user with the most are left to the queue if there are too many', async () => {
    let may = false
    const { tries, claims, stop } = running({ mayClaim: () => may })
    tries.note([...entries(200_001, 10, 2), ...entries(1, 100_000, 1)])
    may = true
    tries.wake()
    await eventually(() => claims.flat().includes(200_010))
    await eventually(() => claims.flat().length > 40_000)
    expect(claims.flat().filter((transaction) => transaction > 200_000)).to.have.length(10)
    expect(claims.flat().length).to.be.below(60_000)
    await stop()
  })

  it('are claimed a few at a time while receiving is busy, and all of them once it is quiet', async () => {
    let isBusy = true
    const { tries, claims, stop } = running({ givesWay: () => isBusy })
    tries.note(entries(1, 500, 1))
    await eventually(() => claims.length === 2)
    expect(claims.map(({ length }) => length)).to.deep.equal([32, 32])
    isBusy = false
    await eventually(() => claims.flat().length === 500)
    expect(claims.length).to.be.at.most(8)
    await stop()
  })

  it('are not made if their transaction was deleted during the claim', async () => {
    const made: number[] = []
    let answer: (() => void) | null = null
    const { tries, stop } = running({
      isNew: () => true,
      claimNew: (entries) =>
        new Promise((resolve) => {
          answer = () => resolve({ claimed: entries as unknown as Claimed[], left: [] })
        }),
      handOver: (claimed) => Promise.resolve(void made.push(...claimed.map(({ transaction_id }) => transaction_id))),
    })
    tries.note(entries(1, 3, 1))
    await eventually(() => answer)
    tries.forget(new Set([2]))
    answer!()
    await eventually(() => made.length > 0)
    expect(made).to.deep.equal([1, 3])
    await stop()
  })
})
