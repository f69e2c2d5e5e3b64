import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { faultsOf } from '../../../../domain/transaction/audit.ts'
import type { TransactionEvent } from '../../../../domain/transaction/events.ts'
import { cameLate, captured, delivered, exhausted, later, NOW, retried, retrying, statusChanged } from './sentences.ts'
import { foldTransaction } from '../../../../domain/transaction/transaction.ts'

const stream = (...events: readonly TransactionEvent[]): StoredEvent[] =>
  events.map((event, revision) => ({
    id: randomUUID(),
    ...event,
    stream: 'transaction-42',
    revision,
    checkpoint: String(revision),
    metadata: { user_id: 5, at: NOW.toISOString(), correlation_id: 'c', causation_id: 'c', version: 1 },
  }))

const FAILED = [captured([7]), exhausted(7, 1), statusChanged('pending', 'failed')]

describe('the audit of a transaction', () => {
  it('accepts a manual retry, which sets the status and records the change after it', () => {
    const retry = retried([7])(foldTransaction(stream(...FAILED)))
    const after = [...FAILED, ...retry, delivered(7, 2), statusChanged('pending', 'success')]
    expect(retry.map(({ type }) => type)).to.deep.equal(['WebhookRetryRequested', 'WebhookStatusChanged'])
    expect(faultsOf(stream(...after))).to.deep.equal([])
  })

  it('accepts an attempt that was made and recorded twice', () => {
    const failing = [captured([7]), retrying(7, 1, later(60))]
    expect(faultsOf(stream(...failing, cameLate(7, 1)))).to.deep.equal([])
    expect(faultsOf(stream(...failing, delivered(7, 1), statusChanged('pending', 'success')))).to.deep.equal([])
  })

  it('reports an attempt number that scheduled two next attempts', () => {
    expect(faultsOf(stream(captured([7]), retrying(7, 1, later(60)), retrying(7, 1, later(90))))).to.deep.equal([
      'attempt 1 for rule 7 decided the next step 2 times',
    ])
  })

  it('reports an attempt number that was the last one twice', () => {
    expect(faultsOf(stream(...FAILED, exhausted(7, 1)))).to.deep.equal([
      'attempt 1 for rule 7 decided the next step 2 times',
    ])
  })

  it('reports a missing revision', () => {
    const [first, ...others] = stream(...FAILED)
    expect(faultsOf([first!, ...others.slice(1)])).to.include('revision 1 is missing')
  })

  it('reports a status that only deliveries give, if there is none', () => {
    for (const status of ['pending', 'success', 'failed'] as const)
      expect(faultsOf(stream(captured([], status)))).to.deep.equal([`its status is ${status}, and it has no delivery`])
  })

  it('reports a missing attempt', () => {
    expect(faultsOf(stream(captured([7]), retrying(7, 2, later(60))))).to.deep.equal([
      'attempt 1 for rule 7 is missing',
    ])
  })

  it('reports a change from a wrong status, and a status that does not match the deliveries', () => {
    expect(faultsOf(stream(captured([7]), delivered(7, 1), statusChanged('failed', 'success')))).to.deep.equal([
      'at revision 2 its status was pending, not failed',
    ])
    expect(faultsOf(stream(captured([7]), delivered(7, 1)))).to.deep.equal([
      'its status is pending, and its deliveries make it success',
    ])
  })
})
