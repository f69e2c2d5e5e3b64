/** Why a transaction is held back, from its history. */
import { expect } from 'chai'
import type { HistoryLine } from '../../../../web/api/types.ts'
import { hasComeBack, heldFor, matchedRules } from '../../../../web/app/held-for.ts'

const line = (event: string, facts: HistoryLine['facts'] = {}): HistoryLine => ({
  at: '2026-11-25T08:00:00.000Z',
  event,
  facts,
})
const captured = (held?: 'old_notification' | 'unconfirmed_account') =>
  line('TransactionCaptured', { rules: [], ...(held && { held }) })

describe('the reason why a transaction is held back', () => {
  it('is that of its last match with the webhooks', () => {
    expect(heldFor([])).to.equal(undefined)
    expect(heldFor([captured()])).to.equal(undefined)
    expect(heldFor([captured('old_notification')])).to.equal('old_notification')
    const completed = line('TransactionCompleted', { rules: [], held: 'old_notification' })
    expect(heldFor([captured(), completed])).to.equal('old_notification')
    const unknown = line('SomethingNewer')
    expect(heldFor([captured('unconfirmed_account'), unknown])).to.equal('unconfirmed_account')
  })

  it('ends when somebody lets Baoco match it again', () => {
    const retried = line('WebhookRetryRequested', { rules: [], by: 'manual', why: 'retry' })
    expect(heldFor([captured('old_notification'), retried])).to.equal(undefined)
  })

  it('may be that its money came back, until somebody lets Baoco match it again', () => {
    const returned = line('TransactionCaptured', { rules: [], came_back: true })
    const retried = line('WebhookRetryRequested', { rules: [], by: 'manual', why: 'retry' })
    expect(hasComeBack([captured()])).to.equal(false)
    expect(hasComeBack([returned])).to.equal(true)
    expect(hasComeBack([returned, retried])).to.equal(false)
  })
})

describe('the webhooks of a transaction', () => {
  it('are those of its last match', () => {
    const retried = line('WebhookRetryRequested', { rules: [7, 8], by: 'manual', why: 'retry' })
    expect(matchedRules([])).to.deep.equal([])
    expect(matchedRules([captured(), retried])).to.deep.equal([7, 8])
  })
})
