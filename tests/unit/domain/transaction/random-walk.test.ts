/**
 * Simulates several writers of one transaction stream: workers that record results of calls, a user who retries and deletes,
 * and a copy that brings an order id. Each writer decides from a state that may be old. Then its append conflicts, and the
 * writer reads and decides again. Results arrive late, out of order and repeatedly with the same number. Commands are repeated.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { Refused } from '../../../../domain/errors.ts'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { faultsOf } from '../../../../domain/transaction/audit.ts'
import type { Movement } from '../../../../domain/transaction/appraisal.ts'
import { completed } from '../../../../domain/transaction/copies.ts'
import { isToBeAttempted } from '../../../../domain/transaction/decide.ts'
import type { TransactionEvent } from '../../../../domain/transaction/events.ts'
import {
  foldTransaction,
  statusOf,
  type Delivery,
  type LiveTransaction,
  type Transaction,
} from '../../../../domain/transaction/transaction.ts'
import { answered, captured, NOW, removed, retried, ruleDeleted } from './sentences.ts'

const RULES = [7, 8]

type Decide = (state: Transaction) => readonly TransactionEvent[]

/** One action of a writer: how many appends old its state is, and how often the action is repeated. */
interface Step {
  what: string
  decide: Decide
  appendsAgo: number
  times: number
}

const rule = fc.constantFrom(...RULES)
const status = fc.constantFrom(0, 200, 204, 301, 404, 410, 429, 500)
const retryAfter = fc.constantFrom(null, 0, 120, 10 ** 9)

/** The result of the next attempt or of an earlier one, from a worker that was frozen, or killed after its call. */
const result = fc
  .tuple(rule, status, retryAfter, fc.integer({ min: 0, max: 2 }))
  .map(([id, code, wait, late]): [string, Decide] => [
    `rule ${id} answers ${code}, ${late} late`,
    (state) => {
      const last = state?.phase === 'live' ? (state.deliveries.get(id)?.attempt ?? 0) : 0
      return answered(id, Math.max(1, last + 1 - late), code, wait)(state)
    },
  ])

const completion = (state: Transaction): readonly TransactionEvent[] =>
  state?.phase !== 'live'
    ? []
    : completed(state, 43, {
        arrival: { arrived_at: NOW },
        held: null,
        matched: { order_id: 'DH7', prefix: 'DH', rules: RULES, webhook_status: 'pending' },
      } as unknown as Movement)

const command = fc.oneof(
  { weight: 30, arbitrary: result },
  { weight: 9, arbitrary: fc.subarray(RULES).map((rules): [string, Decide] => [`retry for ${rules}`, retried(rules)]) },
  { weight: 3, arbitrary: fc.constant<[string, Decide]>(['send again', retried(RULES, { again: true })]) },
  { weight: 3, arbitrary: rule.map((id): [string, Decide] => [`rule ${id} is gone`, ruleDeleted(id)]) },
  { weight: 3, arbitrary: fc.constant<[string, Decide]>(['a better copy', completion]) },
  { weight: 1, arbitrary: fc.constant<[string, Decide]>(['deletion', removed]) },
)

const step: fc.Arbitrary<Step> = fc
  .tuple(command, fc.integer({ min: 0, max: 3 }), fc.constantFrom(1, 1, 2))
  .map(([[what, decide], appendsAgo, times]) => ({ what, decide, appendsAgo, times }))

const begun = fc.oneof(
  fc.subarray(RULES, { minLength: 1 }).map((rules) => captured(rules)),
  fc.constant(captured([])),
  fc.constant(withoutOrder()),
)

function withoutOrder(): TransactionEvent {
  const event = captured([], 'skipped') as Extract<TransactionEvent, { type: 'TransactionCaptured' }>
  return { ...event, data: { ...event.data, order_id: null, prefix: null } }
}

/** A stream that accepts an append only at its current length. */
class Stream {
  readonly events: StoredEvent[] = []
  /** The length after each append. */
  readonly ends: number[] = []
  conflicts = 0

  append(expectedLength: number, facts: readonly TransactionEvent[]): boolean {
    if (expectedLength !== this.events.length) {
      this.conflicts++
      return false
    }
    const metadata = {
      user_id: 5,
      at: new Date(NOW.getTime() + this.events.length * 1000).toISOString(),
      correlation_id: '',
      causation_id: '',
      version: 1,
    }
    for (const fact of facts)
      this.events.push({
        id: randomUUID(),
        ...fact,
        metadata,
        stream: 'transaction-42',
        revision: this.events.length,
        checkpoint: '',
      })
    this.ends.push(this.events.length)
    return true
  }

  /** The events as of some appends ago. */
  read(appendsAgo = 0): StoredEvent[] {
    return this.events.slice(0, this.ends[Math.max(0, this.ends.length - 1 - appendsAgo)])
  }
}

const orNothing = (decide: Decide, state: Transaction): readonly TransactionEvent[] => {
  try {
    return decide(state)
  } catch (error) {
    if (error instanceof Refused) return []
    throw error
  }
}

/** Decides and appends as every writer does. On a conflict it reads and decides again. @returns the appended facts */
const act = (stream: Stream, { decide, appendsAgo }: Step): readonly TransactionEvent[] => {
  for (let read = stream.read(appendsAgo); ; read = stream.read()) {
    const facts = orNothing(decide, foldTransaction(read))
    if (facts.length === 0 && read.length < stream.events.length) continue // an old state refused it, so it reads again
    if (facts.length === 0 || stream.append(read.length, facts)) return facts
  }
}

const walk = (
  first: TransactionEvent,
  steps: readonly Step[],
  look: (before: Transaction, facts: readonly TransactionEvent[], after: Transaction) => void,
) => {
  const stream = new Stream()
  stream.append(0, [first])
  for (const each of steps)
    for (let time = 0; time < each.times; time++) {
      const before = foldTransaction(stream.read())
      const facts = act(stream, each)
      look(before, facts, foldTransaction(stream.read()))
    }
  return stream
}

const typesOf = (facts: readonly TransactionEvent[]) => facts.map(({ type }) => type)

const isSentAgain = (facts: readonly TransactionEvent[]) =>
  facts.some((fact) => fact.type === 'WebhookRetryRequested' && fact.data.again === true)

const isOpened = (facts: readonly TransactionEvent[]) =>
  facts.some(({ type }) => type === 'WebhookRetryRequested' || type === 'TransactionCompleted')

const statusIsThatOfDeliveries = (
  before: LiveTransaction,
  facts: readonly TransactionEvent[],
  after: LiveTransaction,
) => {
  if (after.deliveries.size > 0) expect(after.webhook_status).to.equal(statusOf(after.deliveries))
  const changes = facts.filter((fact) => fact.type === 'WebhookStatusChanged')
  if (isOpened(facts)) return // these events also set the status
  expect(changes.map(({ data }) => [data.from, data.to])).to.deep.equal(
    before.webhook_status === after.webhook_status ? [] : [[before.webhook_status, after.webhook_status]],
  )
  if (changes.length > 0) expect(facts.at(-1)).to.equal(changes[0])
}

const deliveryGoesOn = (
  before: Delivery | undefined,
  facts: readonly TransactionEvent[],
  after: Delivery,
  id: number,
) => {
  expect(after.attempt).to.be.at.least(before?.attempt ?? 0)
  // An open delivery has a due time and exactly one next number.
  if (after.status === 'open') {
    expect(after.due_at).to.match(/^\d{4}-.*Z$/)
    expect(after.round_base).to.be.at.most(after.attempt)
  }
  // An endpoint that accepted the delivery is not called again, even if late results arrive, unless the owner sends it again.
  if (before?.status === 'succeeded') expect(after.status).to.equal(isSentAgain(facts) ? 'open' : 'succeeded')
  // Only a retry or an order id opens a delivery. A result never causes a call.
  if (before?.status !== 'open' && !isOpened(facts)) expect(after.status).not.to.equal('open')
  const attempted = facts.find((fact) => fact.type === 'WebhookAttempted' && fact.data.rule_id === id)
  if (attempted?.type !== 'WebhookAttempted' || !before) return
  const { attempt, outcome, http_status } = attempted.data
  const isKnown = attempt <= before.attempt
  if (http_status >= 200 && http_status < 300) expect(after.status).to.equal('succeeded')
  else if (isKnown) expect(after, 'a number that is known changes nothing').to.deep.equal(before)
  else if (before.status === 'open') expect(outcome).to.equal(after.status === 'open' ? 'retrying' : 'exhausted')
}

describe('a transaction after any sequence of commands', () => {
  it('has the status of its deliveries, rising attempt numbers, due times for open deliveries and final successes', () => {
    let conflicts = 0
    const seen = new Set<string>()
    fc.assert(
      fc.property(begun, fc.array(step, { maxLength: 40 }), (first, steps) => {
        const stream = walk(first, steps, (before, facts, after) => {
          for (const type of typesOf(facts)) seen.add(type)
          if (before?.phase !== 'live') return expect(facts, 'after its deletion').to.deep.equal([])
          if (after?.phase !== 'live') return expect(typesOf(facts)).to.deep.equal(['TransactionDeleted'])
          statusIsThatOfDeliveries(before, facts, after)
          for (const [id, delivery] of after.deliveries) {
            deliveryGoesOn(before.deliveries.get(id), facts, delivery, id)
            const next = [1, 2, 3, 4, 5].map((n) => delivery.attempt - 2 + n)
            const due = next.filter((number) => isToBeAttempted(after, id, number))
            expect(due).to.deep.equal(delivery.status === 'open' ? [delivery.attempt + 1] : [])
          }
        })
        conflicts += stream.conflicts
        for (const { type } of stream.events) seen.add(type)
        // The audit finds no fault in the stream.
        if (foldTransaction(stream.events)?.phase === 'live') expect(faultsOf(stream.events)).to.deep.equal([])
      }),
      { numRuns: 1_000 },
    )
    expect(conflicts, 'conflicts met').to.be.above(100)
    expect([...seen]).to.include.members([
      'WebhookAttempted',
      'WebhookRetryRequested',
      'DeliveryEnded',
      'WebhookStatusChanged',
      'TransactionCompleted',
      'TransactionDeleted',
    ])
  })

  it('has a failed delivery after the schedule, even if the results arrive late and repeatedly', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 1, 1, 2, 2, 2, 3, 3, 3], { minLength: 9 }), (numbers) => {
        let events: readonly TransactionEvent[] = [captured([7])]
        let last = 0
        for (const number of numbers) {
          // An attempt is made only after the previous one has been recorded.
          if (number > last + 1) continue
          last = Math.max(last, number)
          events = [...events, ...answered(7, number, 500)(fold(events))]
        }
        for (let next = last + 1; next <= 3; next++) events = [...events, ...answered(7, next, 500)(fold(events))]
        const state = fold(events)
        expect(state).to.have.property('webhook_status', 'failed')
        expect(state?.phase === 'live' && state.deliveries.get(7)).to.include({ status: 'failed', attempt: 3 })
      }),
    )
  })
})

const fold = (facts: readonly TransactionEvent[]): Transaction => {
  const stream = new Stream()
  stream.append(0, facts)
  return foldTransaction(stream.events)
}
