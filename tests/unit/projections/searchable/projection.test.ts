/** Tests which fields of a transaction an event writes to `searchable`. */
import { expect } from 'chai'
import { piecesOf } from '../../../../domain/search-pieces.ts'
import { statementsOf } from '../../../../projections/engine/definition.ts'
import { search } from '../../../../projections/search.ts'
import { AT, event, inShort } from '../events.ts'

const captured = {
  transaction_id: 7, user_id: 1, source_type: 'sms', source: 'device-7:sms', bank_code: 'VCB', bank_name: 'Vietcombank',
  transaction_type: 'credit', amount: '150000.00', currency: 'VND', account_number: '0011', account_name: 'A',
  transaction_ref: 'FT1', transaction_date: AT, transaction_date_source: 'printed', counterpart_account: '19',
  counterpart_name: null, counterpart_bank: null, description: 'ND: Nguyễn Văn ĐẠT DH 12', content: 'DH 12',
  raw_data: '{}', balance_after: null, already_run_of: null, order_id: 'DH12', prefix: 'DH', rules: [9, 5, 9],
  webhook_status: 'pending', created_at: AT,
} // prettier-ignore

const done = (type: string, data: object) => statementsOf(search, event(type, data)).map(inShort)

const rowOf = (change: object) => {
  const [statement, ...others] = done('TransactionCaptured', { ...captured, ...change })
  expect(others).to.deep.equal([])
  expect(statement!.slice(0, 2)).to.deep.equal(['insert', 'searchable'])
  return statement![2] as Record<string, unknown>
}

describe('the search row of a transaction', () => {
  it('contains its lower-case texts, its rules and the filter fields of lists', () => {
    expect(rowOf({})).to.deep.equal({
      user_id: 1,
      id: 7,
      created_at: AT,
      bank_code: 'VCB',
      transaction_type: 'credit',
      source_type: 'sms',
      transaction_date: AT,
      text: 'nd: nguyễn văn đạt dh 12\uffffft1',
      pieces: piecesOf('nd: nguyễn văn đạt dh 12'),
      order_id: 'dh12',
      rules: [5, 9],
    })
  })

  it('separates its texts, so no match begins in one text and ends in another', () => {
    const { text } = rowOf({ description: 'a\uffffb\0', transaction_ref: 'c\uffff' })
    expect(text).to.equal('a\ufffdb\ufffd\uffffc\ufffd')
  })

  it('omits fields that the description already contains', () => {
    expect(rowOf({ description: 'Ref FT1. DH12' })).to.include({ text: 'ref ft1. dh12', order_id: null })
    expect(rowOf({ transaction_ref: null, order_id: null, description: 'x' })).to.include({ text: 'x', order_id: null })
  })

  it('is the same for letters composed and decomposed', () => {
    const description = 'Nguyễn Văn ĐẠT'
    expect(rowOf({ description: description.normalize('NFD') }).text).to.equal(rowOf({ description }).text)
  })

  it('contains an order id and rules that were matched later', () => {
    const changed = { transaction_id: 7, order_id: 'DH2', prefix: 'DH', rules: [5, 6], webhook_status: 'pending' }
    const rematched = [['perform', 'rematch_searchable', [{ user_id: 1, id: 7, order_id: 'dh2', rules: '{5,6}' }]]]
    expect(done('TransactionCompleted', { ...changed, completed_by: 8 })).to.deep.equal(rematched)
    expect(done('WebhookRetryRequested', { ...changed, by: 'manual', rematched: true })).to.deep.equal(rematched)
  })

  it('is removed with the transaction, even if that cannot be read when its account is deleted', () => {
    const deleted = { transaction_id: 7, user_id: 1, captured_at: AT, counted: true }
    expect(done('TransactionDeleted', deleted)).to.deep.equal([['remove', 'searchable', { user_id: 1, id: 7 }]])
    expect(done('StreamErased', { user_id: 1 })).to.deep.equal([['remove', 'searchable', { user_id: 1, id: 7 }]])
  })

  it('does not change with webhook attempts', () => {
    expect(done('WebhookAttempted', { transaction_id: 7, rule_id: 5 })).to.deep.equal([])
    expect(done('WebhookStatusChanged', { transaction_id: 7, from: 'pending', to: 'success' })).to.deep.equal([])
  })
})
