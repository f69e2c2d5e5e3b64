/**
 * A plan may allow any number of webhook rules, and one payment fires all of them. The work for it must grow with their number, and not with its
 * square or cube: then three payments of one account would stop the process for everybody.
 */
import { expect } from 'chai'
import { openInboxes } from '../../adapters/inbox/inboxes.ts'
import type { Account } from '../../domain/account/account.ts'
import { formToken, hashOfToken } from '../../domain/account/tokens.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { LogEntry } from '../../domain/ports.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'
import { statisticsByRuleAndHour } from '../../projections/counts/queries.ts'
import type { Queryable } from '../../projections/engine/queryable.ts'
import type { Claimed } from '../../workflows/deliver/queue.ts'
import { openNotedEntries } from '../../workflows/deliver/noted-entries.ts'
import { checkAgainstStreams } from '../../workflows/deliver/stream-check.ts'
import { TrackedTransactions } from '../../workflows/deliver/tracked.ts'
import { captured, NOW, resultOf } from '../unit/domain/transaction/sentences.ts'

const MANY = 300
const RULES = Array.from({ length: MANY }, (_, index) => index + 1)

/** The number of entries of all maps that some work makes from others. */
const copiedBy = async (work: () => unknown): Promise<number> => {
  const { Map: Original } = globalThis
  let copied = 0
  globalThis.Map = class<Key, Value> extends Original<Key, Value> {
    constructor(entries?: Iterable<readonly [Key, Value]> | null) {
      super(entries)
      copied += this.size
    }
  } as MapConstructor
  try {
    await work()
  } finally {
    globalThis.Map = Original
  }
  return copied
}

describe('a payment for an account with many rules', () => {
  const metadata = { user_id: 5, at: NOW.toISOString(), correlation_id: '', causation_id: '', version: 1 }
  const attempted = (rule: number) => ({
    type: 'WebhookAttempted',
    data: { ...resultOf(rule, 1, 500), attempt_id: rule, outcome: 'retrying', next_attempt_at: NOW.toISOString() },
  })
  const events = [captured(RULES), ...RULES.map(attempted)].map(
    (fact, revision) =>
      ({ ...fact, id: String(revision), stream: 'transaction-42', revision, metadata }) as unknown as StoredEvent,
  )
  const claims = RULES.map(
    (rule_id) =>
      ({
        transaction_id: 42,
        rule_id,
        user_id: 5,
        attempt: 2,
        transaction: {},
        deliveries: RULES.map((each) => ({ rule_id: each, status: 'open', attempt: 1, round_base: 0, due_at: '' })),
      }) as unknown as Claimed,
  )

  it('is claimed with few others, so that one claim does not fill the room of all accounts', () => {
    const entriesWith = (rules: number[]) =>
      Array.from({ length: 300 }, () => ({ user_id: 5, captured: { data: { rules } } }) as unknown as LogEntry)
    const taken = (rules: number[]): number => {
      const noted = openNotedEntries(10_000)
      noted.add(entriesWith(rules))
      return noted.take(256, () => 256).length
    }
    expect([taken([1]), taken(RULES), taken(Array.from({ length: 9_000 }, () => 1))]).to.deep.equal([256, 7, 1])
  })

  it('is folded without a copy of its deliveries for each attempt', async () => {
    expect(await copiedBy(() => foldTransaction(events))).to.be.below(4 * MANY)
    const state = foldTransaction(events)
    expect(state?.phase === 'live' && state.deliveries.get(MANY)).to.include({ status: 'open', attempt: 1 })
  })

  it('is folded once, however many of its attempts are checked together', async () => {
    const tracked = new TrackedTransactions()
    const check = () => checkAgainstStreams({ claimed: claims, orphans: [] }, () => Promise.resolve([events]), tracked)
    expect(await copiedBy(async () => expect((await check()).claimed).to.have.lengthOf(MANY))).to.be.below(20 * MANY)
    expect(tracked.held).to.have.lengthOf(MANY)
  })

  it('is held with one state, however many of its first attempts begin', async () => {
    const tracked = new TrackedTransactions()
    const entry = { revision: 0, correlation_id: null } as LogEntry
    expect(await copiedBy(() => claims.forEach((claim) => tracked.holdAt(claim, entry)))).to.be.below(20 * MANY)
    expect(tracked.held).to.have.lengthOf(MANY)
  })
})

describe('statistics by hour of many rules', () => {
  it('look at each row a few times', async () => {
    let looks = 0
    const sums = { attempts: 1, success_rate: 1, p50_ms: 1, p95_ms: 1, last_error: null, delivered: 1, oldest: NOW }
    const rows = RULES.flatMap((id) =>
      [0, null].map((hour) => ({
        ...sums,
        hour,
        is_rule: hour === null,
        get id() {
          looks++
          return id
        },
      })),
    )
    const database = { query: () => Promise.resolve(rows) } as unknown as Queryable
    const hourAgo = new Date(NOW.getTime() - 3_600_000)
    const found = await statisticsByRuleAndHour(database, 5, hourAgo, NOW)
    expect(found.map(({ hours }) => hours)).to.deep.equal(
      RULES.map(() => [{ from: hourAgo.toISOString(), delivered: 1, failed: 0 }]),
    )
    expect(looks).to.be.below(20 * MANY)
  })
})

describe('an inbox that many rules call', () => {
  const token = formToken('inbox', 5, 'x'.repeat(43))
  const url = `https://baoco.example/inbox/${token}`
  const rules = new Map(
    RULES.map((rule_id) => [rule_id, { rule_id, url, sealed_secret: `secret ${rule_id}`, previous_until: null }]),
  )
  const inbox = { inbox_id: 9, token_hash: hashOfToken(token), answer: 200, delay_ms: 0 }
  const account = { user_id: 5, locked: null, rules, inboxes: new Map([[9, inbox]]) } as unknown as Account

  /** @returns whether the call is verified, and how many secrets were opened for that */
  const call = async (secret: string, webhookId: string): Promise<{ verified: boolean; opened: number }> => {
    let [verified, opened] = [false, 0]
    const inboxes = openInboxes({
      accounts: { find: () => Promise.resolve(account) },
      vault: { open: (sealed) => (opened++, sealed) },
      calls: { keep: (kept) => Promise.resolve(void ({ verified } = kept)) },
      baseUrl: 'https://baoco.example',
      clock: { now: () => NOW },
    })
    const body = '{"order_id":"DH1"}'
    const headers = signedHeaders({ secret, body, webhookId, timestamp: 1, attempt: 1 })
    await inboxes.take(token, { method: 'POST', headers, body: Buffer.from(body) })
    return { verified, opened }
  }

  it('opens only the secret of the rule that a call names', async () => {
    expect(await call(`secret ${MANY}`, `msg_42_${MANY}`)).to.deep.equal({ verified: true, opened: 1 })
    expect(await call(`secret ${MANY}`, `test_${MANY}_1764400000`)).to.deep.equal({ verified: true, opened: 1 })
  })

  it('tries the secrets of a hundred rules for any other call, and no more', async () => {
    expect(await call('secret 3', 'msg_1_999')).to.deep.include({ verified: true })
    for (const webhookId of ['msg_1_999', 'msg_1_3', 'other']) {
      const { verified, opened } = await call('a stranger’s', webhookId)
      expect(verified).to.equal(false)
      expect(opened).to.be.at.most(101)
    }
  })
})
