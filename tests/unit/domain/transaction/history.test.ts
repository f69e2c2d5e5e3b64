import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { historyOf } from '../../../../domain/transaction/history.ts'
import type { TransactionEventData, WebhookStatus } from '../../../../domain/transaction/events.ts'
import { capturedData } from '../../../harness/captured-data.ts'
import { exhausted, NOW } from './sentences.ts'

const BACK = 'HOAN TRA GD LY DO SAI TK'

const capturedAs = (given: Partial<TransactionEventData['TransactionCaptured']>) => {
  const data = capturedData({ description: given.content ?? 'text', ...given })
  const event = { type: 'TransactionCaptured', data, metadata: { at: data.created_at, user_id: 7, version: 1 } }
  return historyOf([event as unknown as StoredEvent])[0]!
}

describe('the history of a transaction', () => {
  it('shows only the server of a webhook’s url', () => {
    const event = { ...exhausted(7, 1), metadata: { at: NOW.toISOString(), user_id: 7, version: 1 } }
    const { text } = historyOf([event as unknown as StoredEvent])[0]!
    expect(text).to.contain('POST https://shop.vn/#').and.not.contain('hook')
  })

  it('says whether a shop or a rule is missing for an order', () => {
    const order = { order_id: 'DH1042', webhook_status: 'no_match' as const }
    expect(capturedAs({ ...order, prefix: null }).text).to.match(/order DH1042, no active shop has its prefix$/)
    expect(capturedAs({ ...order, prefix: 'DH' }).text).to.match(/order DH1042, no rule fits$/)
    expect(capturedAs({ ...order, prefix: 'DH', rules: [3] }).text).to.match(/order DH1042, rule 3$/)
    const data = { ...order, transaction_id: 7, by: 'manual', rematched: true, rules: [] }
    const retried = (prefix: string | null, webhook_status: WebhookStatus = 'no_match') => {
      const event = {
        type: 'WebhookRetryRequested',
        data: { ...data, prefix, webhook_status },
        metadata: { at: NOW.toISOString() },
      }
      return historyOf([event as unknown as StoredEvent])[0]!.text
    }
    const again = 'manual retry requested and matched again: order DH1042'
    expect(retried(null)).to.equal(`${again}, no active shop has its prefix`)
    expect(retried('DH')).to.equal(`${again}, no rule fits`)
    expect(retried('DH', 'success')).to.equal(`${again}, all rules that fit have succeeded`)
  })

  it('says by which prefix the order id was found', () => {
    const order = { order_id: 'DH1042', webhook_status: 'no_match' as const }
    expect(capturedAs({ ...order, prefix: 'DH' }).facts.prefix).to.equal('DH')
    expect(capturedAs({ ...order, prefix: null }).facts.prefix).to.equal(null)
    const plan = { webhook_status: 'plan_upgraded' as const }
    const unsaid = [{ content: `DH1042 ${BACK}` }, { already_run_of: 1 }, { order_id: null }, plan]
    for (const given of unsaid) expect(capturedAs({ ...order, prefix: null, ...given }).facts).to.not.have.key('prefix')
  })

  const says = 'its text says that the money came back, so it pays no order'

  it('says that its money came back', () => {
    const { facts, text } = capturedAs({ content: `DH1042 ${BACK}`, order_id: 'DH1042' })
    expect(facts.came_back).to.equal(true)
    expect(text).to.contain(says)
  })

  it('says so of a copy of a paid order, which need not name the order itself', () => {
    const copy = { already_run_of: 1, webhook_status: 'already_run', contradicts: 'DH1042' } as const
    const { facts, text } = capturedAs({ ...copy, content: BACK })
    expect(facts).to.deep.equal({ rules: [], copy_of: 1, came_back: true })
    expect(text).to.contain(`although that transaction shows DH1042; ${says}`)
  })

  it('does not say so if its order counted, because these words were not known when it was captured', () => {
    const paid = { order_id: 'DH1042', prefix: 'DH', rules: [3], webhook_status: 'success' as const }
    const { facts, text } = capturedAs({ ...paid, content: `DH1042 ${BACK}` })
    expect(facts).to.deep.equal({ rules: [3], prefix: 'DH' })
    expect(text).to.not.contain('came back')
  })

  it('does not say so of a transaction without an order', () =>
    expect(capturedAs({ content: BACK }).facts).to.deep.equal({ rules: [] }))
})
