// Tests: tests/attack/new-bank-accounts.test.ts
/**
 * When the owner confirms a bank account, sends the transactions that waited for it. A notification that was being
 * captured at that moment, with the account's earlier state, is released when its event arrives here.
 */
import { bankAccountOf } from '../../domain/account/bank-accounts.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from '../accounts/accounts.ts'
import { releaseTransactions } from '../transactions/by-hand.ts'
import { releaseHeld } from '../transactions/release-held.ts'
import { reactor, type Reactor } from './reactor.ts'

export interface ReleaseHeldParts {
  store: EventStore
  accounts: Pick<Accounts, 'find'>
  clock: Clock
  /** Older transactions are not sent automatically: milliseconds. */
  maxAgeMs: number
}

export const releaseConfirmed = ({ store, accounts, clock, maxAgeMs }: ReleaseHeldParts): Reactor => {
  const sinceOf = () => new Date(clock.now().getTime() - maxAgeMs)
  const occasionOf = (user_id: number, { id, metadata }: RecordedEvent): OwnersOccasion => ({
    user_id,
    at: clock.now(),
    correlation_id: metadata.correlation_id,
    causation_id: id,
  })

  const releaseIfConfirmed = async (event: KnownEvent<'TransactionCaptured'>): Promise<void> => {
    const { user_id, transaction_id, bank_code, account_number } = event.data
    const account = await accounts.find(user_id)
    if (!account || !bankAccountOf(account, { bank_code, account_number })?.confirmed) return
    const since = sinceOf()
    await releaseTransactions(store, account, occasionOf(user_id, event), { ids: [transaction_id], since })
  }

  return reactor('release_held', ['account-', 'transaction-'], {
    BankAccountConfirmed: async (event) => {
      const { user_id, bank_account_id } = event.data
      const account = await accounts.find(user_id)
      if (!account) return
      await releaseHeld(store, account, occasionOf(user_id, event), { bank_account_id, since: sinceOf() })
    },
    TransactionCaptured: (event) => (event.data.held === 'unconfirmed_account' ? releaseIfConfirmed(event) : 'nothing'),
  })
}
