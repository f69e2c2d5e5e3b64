import { expect } from 'chai'
import fc from 'fast-check'
import { Refused } from '../../../../domain/errors.ts'
import type { TransactionFact } from '../../../../domain/transaction/decide.ts'
import { evolve, evolveAll, statusOf, type Transaction } from '../../../../domain/transaction/transaction.ts'
import { answered, captured, NOW, removed, retried, ruleDeleted } from './sentences.ts'

const RULES = [7, 8]
const rule = fc.constantFrom(...RULES)
const status = fc.constantFrom(0, 200, 204, 301, 404, 410, 429, 500)

/** The next attempt of a rule, or one that was made before and comes late. */
const attempt = fc.tuple(rule, status, fc.integer({ min: 0, max: 2 })).map(([id, code, late]) => (state: Transaction) => {
  const last = state?.phase === 'live' ? (state.deliveries.get(id)?.attempt ?? 0) : 0
  return answered(id, Math.max(1, last + 1 - late), code)(state)
}) // prettier-ignore

const command = fc.oneof(
  { weight: 8, arbitrary: attempt },
  { weight: 2, arbitrary: fc.subarray(RULES).map((rules) => retried(rules)) },
  { weight: 1, arbitrary: rule.map((id) => ruleDeleted(id)) },
  { weight: 1, arbitrary: fc.constant(removed) },
)

const decided = (state: Transaction, decide: (state: Transaction) => readonly TransactionFact[]) => {
  try {
    return decide(state)
  } catch (error) {
    if (error instanceof Refused) return []
    throw error
  }
}

describe('whatever happens to a transaction', () => {
  it('its status is that of its deliveries, numbers rise, and what is open has a due time', () => {
    fc.assert(
      fc.property(fc.subarray(RULES, { minLength: 1 }), fc.array(command, { maxLength: 40 }), (rules, commands) => {
        let state = evolve(null, captured(rules), NOW.toISOString())
        for (const decide of commands) {
          const before = state
          const facts = decided(before, decide)
          state = evolveAll(before, facts, NOW.toISOString())
          if (before?.phase !== 'live') {
            expect(facts, 'after its deletion').to.deep.equal([])
            continue
          }
          if (state?.phase !== 'live') continue
          expect(state.webhook_status).to.equal(statusOf(state.deliveries))
          for (const [id, delivery] of state.deliveries) {
            expect(delivery.attempt).to.be.at.least(before.deliveries.get(id)?.attempt ?? 0)
            if (delivery.status === 'open') expect(delivery.due_at).to.match(/^\d{4}-.*Z$/)
          }
          const said = facts.filter((fact) => fact.type === 'WebhookStatusChanged')
          expect(said.length).to.equal(before.webhook_status === state.webhook_status ? 0 : 1)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('a delivery that keeps failing is over after its schedule', () => {
    let state = evolve(null, captured([7]), NOW.toISOString())
    for (let number = 1; number <= 3; number++)
      state = evolveAll(state, answered(7, number, 500)(state), NOW.toISOString())
    expect(state).to.have.property('webhook_status', 'failed')
  })
})
