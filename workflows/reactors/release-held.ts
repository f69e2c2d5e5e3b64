// Tests: tests/unit/workflows/reactors/release-held.test.ts, tests/attack/new-bank-accounts.test.ts
/**
 * When the owner confirms a bank account, sends the transactions that waited for it. A notification that was being
 * captured at that moment, with the account's earlier state, is released when its event arrives here. So is a transaction
 * that waited without an order id, when a copy brings the order id after the confirmation.
 */
import { bankAccountOf, type NamedAccount } from '../../domain/account/bank-accounts.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Accounts, OwnersOccasion } from '../accounts/accounts.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { releaseTransactions } from '../transactions/by-hand.ts'
import { causedBy } from '../support/stamp.ts'
import { releaseHeld } from '../transactions/release-held.ts'
import { reactor, type Reactor, type ReactorParts } from './reactor.ts'

type Parts = Pick<ReactorParts, 'store' | 'clock' | 'maxAgeMs'> & { accounts: Pick<Accounts, 'find'> }

export const releaseConfirmed = ({ store, accounts, clock, maxAgeMs }: Parts): Reactor => {
  const sinceOf = () => new Date(clock.now().getTime() - maxAgeMs)
  const occasionOf = (user_id: number, event: RecordedEvent): OwnersOccasion => ({
    user_id,
    at: clock.now(),
    ...causedBy(event),
  })

  /** @param named  the bank account that the transaction waits for */
  const releaseIfConfirmed = async (
    event: RecordedEvent,
    { user_id, transaction_id }: { user_id: number; transaction_id: number },
    named: NamedAccount,
  ): Promise<void> => {
    const account = await accounts.find(user_id)
    if (!account) return
    const bankAccount = bankAccountOf(account, named)
    if (!bankAccount?.confirmed || bankAccount.is_active === 0) return
    const since = sinceOf()
    await releaseTransactions(store, account, occasionOf(user_id, event), { ids: [transaction_id], since })
  }

  /**
   * A completed transaction waits for the bank account of its own notification, or for that of the copy, if it did not wait before. The copy
   * is stored after the completion, so it may not be there yet: then this fails and is tried again, until the transaction is too old.
   */
  const releaseCompleted = async (event: KnownEvent<'TransactionCompleted'>): Promise<void> => {
    const { transaction_id, completed_by } = event.data
    const streams = [transaction_id, completed_by].map((id) => ({ stream: transactionStream(id), limit: 1 }))
    const [[first] = [], [copy] = []] = await store.read(streams)
    if (first?.type !== 'TransactionCaptured') return
    const waiting = first.data.held === 'unconfirmed_account' ? first : copy
    if (!waiting && new Date(event.metadata.at) >= sinceOf())
      throw new Error(`the copy ${completed_by} is not stored yet`)
    if (waiting?.type !== 'TransactionCaptured') return
    await releaseIfConfirmed(event, { user_id: first.data.user_id, transaction_id }, waiting.data)
  }

  return reactor('release_held', ['account-', 'transaction-'], {
    BankAccountConfirmed: async (event) => {
      const { user_id, bank_account_id } = event.data
      const account = await accounts.find(user_id)
      if (!account) return
      await releaseHeld(store, account, occasionOf(user_id, event), { bank_account_id, since: sinceOf() })
    },
    TransactionCaptured: (event) =>
      event.data.held === 'unconfirmed_account' ? releaseIfConfirmed(event, event.data, event.data) : 'nothing',
    TransactionCompleted: (event) => (event.data.held === 'unconfirmed_account' ? releaseCompleted(event) : 'nothing'),
  })
}
