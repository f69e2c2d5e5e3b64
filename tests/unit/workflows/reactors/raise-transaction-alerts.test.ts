import { expect } from 'chai'
import type { TransactionEventData } from '../../../../domain/transaction/events.ts'
import type { Alerts, Cause } from '../../../../workflows/alerts/alerts.ts'
import { raiseTransactionAlerts } from '../../../../workflows/reactors/raise-transaction-alerts.ts'
import { capturedData } from '../../../harness/captured-data.ts'

/** As if the account were being deleted. */
const NO_ACCOUNTS = { find: async () => null }

describe('alerts about single transactions', () => {
  /** @returns kind and subject of the alert about this event; null if there is none */
  const alertOf = async (type: string, data: object): Promise<string | null> => {
    const raised: Cause[] = []
    const alerts: Pick<Alerts, 'raise' | 'end'> = {
      raise: async (cause) => {
        raised.push(cause)
        return { checkpoint: '1' } as never
      },
      end: () => expect.fail('no alert ends'),
    }
    const metadata = { user_id: 5, at: '2026-01-05T02:30:00.000Z', correlation_id: 'c' }
    const event = { id: 'e', type, data: { transaction_id: 9, ...data }, metadata }
    await raiseTransactionAlerts(alerts, NO_ACCOUNTS).answers[type as 'TransactionCaptured']!(event as never)
    expect(raised).to.have.length.at.most(1)
    return raised[0] ? `${raised[0].kind} ${raised[0].subject}` : null
  }
  const ofCapture = (given: Partial<TransactionEventData['TransactionCaptured']>) =>
    alertOf('TransactionCaptured', capturedData({ user_id: 5, transaction_id: 9, source: 'device-7:sms', ...given }))

  it('are raised for an old notification that would have been sent, once for its source', async () => {
    const old = { held: 'old_notification' } as const
    expect(await ofCapture({ ...old, webhook_status: 'no_match' })).to.equal('old_notification device:7')
    expect(await ofCapture({ ...old, webhook_status: 'skipped' })).to.equal(null)
    expect(await ofCapture({ held: 'unconfirmed_account', webhook_status: 'no_match' })).to.equal(null)
  })

  it('are raised for an old copy that brought the order id, and for no other copy', async () => {
    expect(await alertOf('TransactionCompleted', { held: 'old_notification' })).to.equal(
      'old_notification transaction:9',
    )
    expect(await alertOf('TransactionCompleted', { held: 'unconfirmed_account' })).to.equal(null)
    expect(await alertOf('TransactionCompleted', {})).to.equal(null)
  })

  it('are raised for a copy that contradicts the first notification, and for no other copy', async () => {
    expect(await ofCapture({ already_run_of: 3, contradicts: 'amount' })).to.equal('contradicting_copy transaction:3')
    expect(await ofCapture({ already_run_of: 3 })).to.equal(null)
  })

  it('are left alone while their account is deleted with its transactions', async () => {
    expect(await alertOf('TransactionDeleted', { user_id: 5 })).to.equal(null)
  })
})
