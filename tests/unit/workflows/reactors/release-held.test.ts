import { expect } from 'chai'
import type { BankAccount } from '../../../../domain/account/state.ts'
import type { EventStore, Slice, StreamAppend } from '../../../../domain/ports.ts'
import { HOUR_MS } from '../../../../domain/time.ts'
import { releaseConfirmed } from '../../../../workflows/reactors/release-held.ts'
import { accountOf } from '../../../harness/accounts.ts'
import { capturedData } from '../../../harness/captured-data.ts'

const OWN = '0011000415567'
const OTHER = '0099000222333'

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

  /** Meets the completion of a payment that was captured `ageMs` before. @returns the types of the events that are appended */
  const released = async (ageMs: number, bankAccount: Partial<BankAccount>): Promise<string[]> => {
    const now = new Date()
    const at = new Date(now.getTime() - ageMs).toISOString()
    const held = 'unconfirmed_account' as const
    const data = { user_id: 5, content: 'DH1', order_id: 'DH1', prefix: 'DH', created_at: at }
    const capturedAs = (transaction_id: number, account_number: string) =>
      ({ type: 'TransactionCaptured', revision: 0, metadata: { user_id: 5, at }, data: capturedData({ ...data, transaction_id, account_number, held }) }) // prettier-ignore
    const streams: Record<string, unknown[]> = {
      'transaction-1': [capturedAs(1, OWN)],
      'transaction-2': [capturedAs(2, OTHER)],
    }
    const appended: string[] = []
    const store = {
      read: async (slices: Slice[]) => slices.map(({ stream }) => streams[stream]),
      append: async (units: StreamAppend[][]) => {
        appended.push(...units.flat().flatMap(({ events }) => events.map(({ type }) => type)))
        return units.map(() => ({ ok: true, checkpoint: '1' }))
      },
    } as unknown as EventStore
    const known = (bank_account_id: number, account_number: string, confirmed: boolean): BankAccount =>
      ({ bank_account_id, bank_code: 'VCB', account_number, is_active: 1, confirmed }) // prettier-ignore
    const bank_accounts = new Map([
      [1, { ...known(1, OWN, true), ...bankAccount }],
      [2, known(2, OTHER, false)],
    ])
    const accounts = { find: async () => ({ ...accountOf(5), bank_accounts }) }
    const { answers } = releaseConfirmed({ store, accounts, clock: { now: () => now }, maxAgeMs: HOUR_MS })
    const completed = { transaction_id: 1, completed_by: 2, held }
    await answers.TransactionCompleted!({ data: completed, metadata: { user_id: 5, at } } as never)
    return appended
  }

  it('waits for the bank account that it printed itself, even if its copy printed another one', async () => {
    expect(await released(0, {})).to.deep.equal(['WebhookRetryRequested', 'WebhookStatusChanged'])
    expect(await released(0, { confirmed: false })).to.deep.equal([])
  })

  it('is not done while its bank account is switched off, or when the transaction is too old', async () => {
    expect(await released(0, { is_active: 0 })).to.deep.equal([])
    expect(await released(HOUR_MS + 1, {})).to.deep.equal([])
  })

  it('is tried again while the copy is not stored yet, until the transaction is too old', async () => {
    expect(await complete(HOUR_MS / 2)).to.equal('the copy 2 is not stored yet')
    expect(await complete(HOUR_MS + 1)).to.equal('done')
  })
})
