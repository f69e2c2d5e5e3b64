import { expect } from 'chai'
import type { EventStore } from '../../../../domain/ports.ts'
import { HOUR_MS } from '../../../../domain/time.ts'
import { releaseConfirmed } from '../../../../workflows/reactors/release-held.ts'
import { capturedData } from '../../../harness/captured-data.ts'

describe('the release of a transaction that a copy has completed', () => {
  /** Meets the completion, which was stored before the copy. */
  const complete = async (ageMs: number): Promise<string> => {
    const now = new Date()
    const data = capturedData({ user_id: 5, transaction_id: 1 })
    const store = { read: async () => [[{ type: 'TransactionCaptured', data }], []] } as unknown as EventStore
    const accounts = { find: () => Promise.reject(new Error('the account was read')) }
    const { answers } = releaseConfirmed({ store, accounts, clock: { now: () => now }, maxAgeMs: HOUR_MS })
    const event = {
      data: { transaction_id: 1, completed_by: 2, held: 'unconfirmed_account' },
      metadata: { user_id: 5, at: new Date(now.getTime() - ageMs).toISOString() },
    }
    return Promise.resolve(answers.TransactionCompleted!(event as never)).then(
      () => 'done',
      (error: Error) => error.message,
    )
  }

  it('is tried again while the copy is not stored yet, until the transaction is too old', async () => {
    expect(await complete(HOUR_MS / 2)).to.equal('the copy 2 is not stored yet')
    expect(await complete(HOUR_MS + 1)).to.equal('done')
  })
})
