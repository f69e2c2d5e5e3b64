import { expect } from 'chai'
import { captured } from '../../../../domain/transaction/capture.ts'
import { completed, contradictedBy, isRemembered } from '../../../../domain/transaction/copies.ts'
import { evolveAll, type LiveTransaction } from '../../../../domain/transaction/transaction.ts'
import { AT, movementOf, TEXT } from './movements.ts'

describe('a better copy', () => {
  const firstWith = (memo: string, options = {}): LiveTransaction => {
    const facts = [
      captured(1, 7, movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' }, options), null),
    ]
    return evolveAll(null, facts, AT.toISOString()) as LiveTransaction
  }
  const better = movementOf({ sender: 'Vietcombank' })

  it('completes a first notification without an order id', () => {
    expect(completed(firstWith('NGUYEN VAN...'), 2, better)).to.deep.equal([
      {
        type: 'TransactionCompleted',
        data: {
          transaction_id: 1,
          completed_by: 2,
          order_id: 'DH1042',
          prefix: 'DH',
          rules: [20],
          webhook_status: 'pending',
        },
      },
      { type: 'WebhookStatusChanged', data: { transaction_id: 1, from: 'skipped', to: 'pending' } },
    ])
  })
  it('completes one whose order id was a guess', () =>
    expect(completed(firstWith('ABC123'), 2, better)[0]?.data).to.include({ order_id: 'DH1042' }))
  it('does not complete one that has an order id with a prefix of the user', () =>
    expect(completed(firstWith('DH1042', { rules: false }), 2, better)).to.deep.equal([]))
  it('does not complete one that was already sent', () =>
    expect(completed({ ...firstWith('ABC123'), webhook_status: 'success' }, 2, better)).to.deep.equal([]))
  it('completes nothing if it has no order id itself', () =>
    expect(
      completed(firstWith('NGUYEN...'), 2, movementOf({ text: TEXT.replace('DH1042', 'x'), sender: 'Vietcombank' })),
    ).to.deep.equal([]))
  it('completes no order id of another system, and no guess by another guess or by the same id', () => {
    const shop = (memo: string) => movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' })
    expect(completed(firstWith('DH7', { rules: false }), 2, better)).to.deep.equal([])
    expect(completed(firstWith('ABC123'), 2, shop('ABD124'))).to.deep.equal([])
    // The prefix is newer than the first notification.
    expect(completed(firstWith('DH1042', { prefixes: ['SHOP'] }), 2, better)).to.deep.equal([])
  })
  it('sends nothing for a bank account that is switched off, nor for a guess that stays unmatched', () => {
    const none = { rules: [], webhook_status: 'no_match' }
    expect(completed(firstWith('ABC123'), 2, better, null, true).map(({ data }) => data)).to.deep.equal([
      { transaction_id: 1, completed_by: 2, order_id: 'DH1042', prefix: 'DH', ...none },
    ])
  })
  it('is the payment of a plan, which fires no rule and is not held', () => {
    for (const held of ['unconfirmed_account', null] as const) {
      const first: LiveTransaction = { ...firstWith('ABC123'), held }
      const [fact] = completed(first, 2, better, { webhook_status: 'plan_upgraded', already_run_of: null })
      expect(fact!.data).to.deep.include({ webhook_status: 'plan_upgraded', rules: [] })
      expect(fact!.data).not.to.have.property('held')
    }
  })

  it('contradicts an order id that matched a prefix, and only by another one that does', () => {
    const of = (memo: string) => movementOf({ text: TEXT.replace('DH1042', memo), sender: 'Vietcombank' })
    expect(contradictedBy(firstWith('DH7'), better)).to.equal('DH7')
    expect(contradictedBy(firstWith('DH1042'), better)).to.equal(null)
    expect(contradictedBy(firstWith('DH7'), of('ABC123')), 'a guess').to.equal(null)
    expect(contradictedBy(firstWith('ABC123'), better), 'of a guess').to.equal(null)
  })
})

describe('a credit that is remembered', () => {
  const credit = movementOf({ sender: 'Vietcombank' })
  const first = evolveAll(null, [captured(1, 7, credit, null)], AT.toISOString()) as LiveTransaction

  it('is the one with the same bank and amount, whose account number does not differ', () => {
    expect(isRemembered(first, credit)).to.equal(true)
    expect(isRemembered({ ...first, account_number: 'xxxx5567' }, credit)).to.equal(true)
    expect(isRemembered({ ...first, account_number: null }, credit)).to.equal(true)
    const unnamed = { ...credit, reading: { ...credit.reading, account_number: null } }
    expect(isRemembered(first, unnamed)).to.equal(true)
  })

  it('is not one of another bank, amount, direction or account', () => {
    for (const other of [
      { bank_code: 'MB' },
      { amount: '150001.00' as typeof first.amount },
      { transaction_type: 'debit' as const },
      { account_number: '0011000415568' },
    ])
      expect(isRemembered({ ...first, ...other }, credit), JSON.stringify(other)).to.equal(false)
  })
})
