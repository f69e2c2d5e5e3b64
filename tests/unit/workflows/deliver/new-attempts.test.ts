import { expect } from 'chai'
import type { Checkpoint, LogEntry } from '../../../../domain/ports.ts'
import { NewAttempts, type NewAttemptsOptions } from '../../../../workflows/deliver/new-attempts.ts'
import type { Claim, NewClaim, NewClaims, NewDelivery } from '../../../../workflows/deliver/queue.ts'
import { capturedData } from '../../../harness/captured-data.ts'

const DATA = capturedData({ transaction_id: 42, user_id: 5, rules: [7] })

const ENTRY: LogEntry = {
  event_id: 'event',
  type: 'TransactionCaptured',
  user_id: 5,
  transaction_id: 42,
  revision: 0,
  at: DATA.created_at,
  correlation_id: null,
  checkpoint: '9',
  captured: { data: DATA, accountsAt: null },
}

const CLAIM = { transaction_id: 42, rule_id: 7, rule: {}, endpoint: {} } as NewClaim

const turn = () => new Promise(setImmediate)

/** New attempts whose claims are answered by the test. */
const opened = ({ giveBack, ...options }: Partial<NewAttemptsOptions & NewAttemptsOptions['queue']> = {}) => {
  const asked: (readonly NewDelivery[])[] = []
  const givenBack: (readonly Claim[])[] = []
  const lost: (Checkpoint | null)[] = []
  const answers: { resolve: (answer: NewClaims) => void; reject: (error: Error) => void }[] = []
  const attempts = new NewAttempts({
    worker: 'me',
    queue: {
      claimNew: (_, deliveries) => {
        asked.push(deliveries)
        return new Promise((resolve, reject) => answers.push({ resolve, reject }))
      },
      giveBack: giveBack ?? ((_, claims) => Promise.resolve(void givenBack.push(claims))),
    },
    isAfter: (a, b) => Number(a) > Number(b),
    readModels: { passed: () => Promise.resolve(true) },
    isFirst: () => true,
    isLeftToTheLog: () => true,
    fullRules: () => [],
    mayClaimAhead: () => true,
    onLost: (_, newest) => lost.push(newest),
    ...options,
  })
  const answer = (given: Partial<NewClaims> = {}) =>
    answers.shift()!.resolve({ claimed: [CLAIM], left: [], passed: '1', ...given })
  return { attempts, asked, givenBack, lost, answer, fail: () => answers.shift()!.reject(new Error('no connection')) }
}

describe('claims of what this process appends', () => {
  const { setTimeout } = globalThis
  const { now } = performance
  let due: (() => void)[]
  /** Half a minute passes. */
  const later = async () => {
    const before = performance.now()
    performance.now = () => before + 30_000
    for (const each of due.splice(0)) each()
    await turn()
  }

  beforeEach(() => {
    due = []
    const set = (callback: () => void) => (due.push(callback), { unref: () => {} })
    globalThis.setTimeout = set as unknown as typeof globalThis.setTimeout
  })
  afterEach(() => {
    globalThis.setTimeout = setTimeout
    performance.now = now
  })

  it('are given back after a while without their entry', async () => {
    const { attempts, givenBack, answer } = opened()
    attempts.claimAhead([DATA])
    answer()
    await turn()
    await later()
    expect(givenBack).to.deep.equal([[{ transaction_id: 42, rule_id: 7, attempt: 1 }]])
    expect(attempts.claimedAhead).to.be.empty
  })

  it('are claimed again only after they were given back, if their entry comes meanwhile', async () => {
    let isGivenBack = (): void => {}
    const { attempts, asked, answer } = opened({
      giveBack: () => new Promise<void>((resolve) => (isGivenBack = resolve)),
    })
    attempts.claimAhead([DATA])
    answer()
    await turn()
    await later()
    const claiming = attempts.claim([ENTRY])
    await turn()
    expect(asked).to.have.length(1)
    isGivenBack()
    await turn()
    expect(asked).to.have.length(2)
    answer()
    expect((await claiming).claimed).to.have.length(1)
  })

  it('are made, however long the answer to the claim takes: one that is given back before it is made would block the call', async () => {
    const { attempts, givenBack, answer } = opened()
    attempts.claimAhead([DATA])
    await later()
    expect(givenBack).to.be.empty
    const claiming = attempts.claim([ENTRY])
    answer()
    const { claimed, left } = await claiming
    expect(claimed.map(({ transaction_id, rule_id }) => [transaction_id, rule_id])).to.deep.equal([[42, 7]])
    expect(left).to.be.empty
  })

  it('share the data of their transaction, as it may fire very many rules', async () => {
    const rules = [7, 8, 9]
    const data = { ...DATA, rules }
    const entry = { ...ENTRY, captured: { data, accountsAt: null } }
    const claimed = rules.map((rule_id) => ({ ...CLAIM, rule_id }))
    for (const isAhead of [true, false]) {
      const { attempts, answer } = opened()
      if (isAhead) attempts.claimAhead([data])
      const claiming = attempts.claim([entry])
      await turn()
      answer({ claimed })
      const made = (await claiming).claimed
      expect(made.map(({ rule_id }) => rule_id)).to.deep.equal(rules)
      expect(new Set(made.map(({ deliveries }) => deliveries)).size).to.equal(1)
    }
  })

  it('are not made during the append if the transactions fire very many rules', () => {
    const { attempts, asked } = opened()
    const rules = Array.from({ length: 600 }, (_, index) => index + 1)
    attempts.claimAhead([42, 43].map((transaction_id) => ({ ...DATA, transaction_id, rules })))
    expect(asked).to.be.empty
    attempts.claimAhead([{ ...DATA, rules }])
    expect(asked.map(({ length }) => length)).to.deep.equal([600])
  })

  it('count as possibly made until they are given back', async () => {
    let letGo = (): void => {}
    const giveBack = () => new Promise<void>((resolve) => (letGo = resolve))
    const { attempts, answer } = opened({ giveBack })
    attempts.claimAhead([DATA])
    answer()
    await turn()
    const givingBack = attempts.giveBackUnused()
    expect(attempts.isClaimedAhead(ENTRY)).to.equal(false)
    expect(attempts.claimedAhead).to.deep.equal([42])
    letGo()
    await givingBack
    expect(attempts.claimedAhead).to.be.empty
  })
})

describe('new attempts', () => {
  const claimedOf = ({ claimed, left }: Awaited<ReturnType<NewAttempts['claim']>>) => ({
    claimed: claimed.map(({ transaction_id, rule_id }) => [transaction_id, rule_id]),
    left,
  })
  /** An entry of the log, of another transaction. */
  const other = (user_id: number, checkpoint: string, more: Partial<typeof DATA> = {}): LogEntry => ({
    ...ENTRY,
    user_id,
    checkpoint,
    transaction_id: 100,
    captured: { data: { ...DATA, user_id, transaction_id: 100, ...more }, accountsAt: null },
  })

  for (const isAhead of [true, false])
    describe(isAhead ? 'that were claimed during their append' : 'that the log brings', () => {
      const claim = async (options: Partial<NewAttemptsOptions> = {}) => {
        const all = opened(options)
        if (isAhead) all.attempts.claimAhead([DATA])
        const claiming = all.attempts.claim([ENTRY]).then(claimedOf)
        await turn()
        return { ...all, claiming }
      }

      it('are made', async () => {
        const { claiming, answer } = await claim()
        answer()
        expect(await claiming).to.deep.equal({ claimed: [[42, 7]], left: [] })
      })

      it('wait for the read models if the queue leaves them', async () => {
        const { claiming, answer } = await claim()
        answer({ claimed: [], left: [42] })
        expect(await claiming).to.deep.equal({ claimed: [], left: [ENTRY] })
      })

      it('wait for the read models if the claim failed, and the claim is looked for', async () => {
        const { claiming, fail, lost } = await claim()
        fail()
        expect(await claiming).to.deep.equal({ claimed: [], left: [ENTRY] })
        expect(lost).to.deep.equal(['9'])
      })

      it('wait for the read models if a worker may have made them before', async () => {
        const { attempts, claiming, asked, answer, givenBack } = await claim({ isFirst: () => false })
        expect(asked).to.have.length(isAhead ? 1 : 0)
        if (isAhead) answer()
        expect(await claiming).to.deep.equal({ claimed: [], left: [ENTRY] })
        expect(givenBack).to.deep.equal(isAhead ? [[{ transaction_id: 42, rule_id: 7, attempt: 1 }]] : [])
        expect(attempts.isNew(ENTRY)).to.equal(false)
      })
    })

  it('wait for the read models if the queue makes them already', async () => {
    const { attempts, asked } = opened({ isLeftToTheLog: () => false })
    expect(attempts.isNew(ENTRY)).to.equal(false)
    expect(claimedOf(await attempts.claim([ENTRY]))).to.deep.equal({ claimed: [], left: [ENTRY] })
    expect(asked).to.be.empty
  })

  it('count the transactions of their user that the read models may not have counted', async () => {
    const { attempts, asked } = opened()
    const uncounted = async () => {
      void attempts.claim([ENTRY])
      await turn()
      return asked.at(-1)![0]!.uncounted
    }
    expect(await uncounted()).to.equal(0)
    attempts.note([other(5, '1'), other(6, '2'), other(5, '3'), other(5, '4', { already_run_of: 1 }), ENTRY])
    expect(await uncounted()).to.equal(3)
    attempts.hasPassed('2')
    expect(await uncounted()).to.equal(2)
    attempts.hasPassed('1')
    expect(await uncounted()).to.equal(2)
    attempts.claimAhead([
      { ...DATA, transaction_id: 43 },
      { ...DATA, transaction_id: 44 },
    ])
    expect(asked.at(-1)!.map((each) => each.uncounted)).to.deep.equal([4, 4])
    expect(await uncounted()).to.equal(4)
    attempts.hasPassed('9')
    expect(await uncounted()).to.equal(2)
  })

  it('wait for the read models while these have very many transactions to count', () => {
    const { attempts, asked } = opened()
    attempts.note(Array.from({ length: 20_001 }, (_, index) => other(6, String(index))))
    expect(attempts.isNew(ENTRY)).to.equal(false)
    attempts.claimAhead([DATA])
    expect(asked).to.be.empty
    attempts.hasPassed('0')
    expect(attempts.isNew(ENTRY)).to.equal(true)
    attempts.claimAhead([DATA])
    expect(asked).to.have.length(1)
  })
})
