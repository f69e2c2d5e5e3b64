import { expect } from 'chai'
import type { LogEntry } from '../../../../domain/ports.ts'
import { NewAttempts } from '../../../../workflows/deliver/new-attempts.ts'
import type { Claim, NewClaim, NewClaims } from '../../../../workflows/deliver/queue.ts'
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

/** New attempts whose claims are answered by the test. */
const opened = () => {
  const givenBack: (readonly Claim[])[] = []
  const answers: ((answer: NewClaims) => void)[] = []
  const attempts = new NewAttempts({
    worker: 'me',
    queue: {
      claimNew: () => new Promise((resolve) => answers.push(resolve)),
      giveBack: (_, claims) => Promise.resolve(void givenBack.push(claims)),
    },
    isAfter: (a, b) => Number(a) > Number(b),
    readModels: { passed: () => Promise.resolve(true) },
    isFirst: () => true,
    isLeftToTheLog: () => true,
    fullRules: () => [],
    mayClaimAhead: () => true,
    onLost: () => {},
  })
  return { attempts, givenBack, answer: () => answers.shift()!({ claimed: [CLAIM], left: [], passed: '1' }) }
}

describe('claims of what this process appends', () => {
  const { setTimeout } = globalThis
  const { now } = performance
  let due: (() => void)[]
  const turn = () => new Promise(setImmediate)
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
})
