// Tests: tests/attack/new-bank-accounts.test.ts
/**
 * Sends the transactions that waited for a bank account to be confirmed (decision T6). They are found in the
 * deduplication window of that bank, which lists every notification of the last seven days with its printed number. So
 * only the store is read. A payment that waits longer than the window can only be retried manually, whatever
 * `REPARSE_MAX_AGE` is.
 */
import type { Account } from '../../domain/account/account.ts'
import { bankAccountOf } from '../../domain/account/bank-accounts.ts'
import { dedupStream, type NotificationSeen } from '../../domain/dedup/events.ts'
import { isFoldable } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { OwnersOccasion } from '../accounts/accounts.ts'
import { pagesOfStream } from '../support/store-pages.ts'
import { releaseTransactions } from './by-hand.ts'

/** Events read at once. */
const PAGE = 1_000
/** Transactions decided at once. */
const AT_A_TIME = 200

async function* seenIn(store: EventStore, stream: string): AsyncGenerator<NotificationSeen> {
  for await (const page of pagesOfStream(store, stream, PAGE))
    for (const event of page) if (isFoldable(event) && event.type === 'NotificationSeen') yield event.data
}

/**
 * @param since  transactions that were captured earlier stay as they are
 * @throws {StoreUnavailable} some may be released; another call releases the rest
 */
export const releaseHeld = async (
  store: EventStore,
  account: Account,
  occasion: OwnersOccasion,
  { bank_account_id, since }: { bank_account_id: number; since: Date },
): Promise<void> => {
  const known = account.bank_accounts.get(bank_account_id)
  // A bank account that is switched off sends nothing, even if only a copy printed its number.
  if (!known?.confirmed || known.is_active === 0) return
  const { bank_code } = known
  const waiting = new Set<number>()
  for await (const seen of seenIn(store, dedupStream(account.user_id, bank_code))) {
    const { account_number, direction, arrived_at, transaction_id, copy_of } = seen
    // A resend prints nothing new.
    if (copy_of === transaction_id) continue
    if (direction !== 'credit' || account_number === null || Date.parse(arrived_at) < since.getTime()) continue
    // A copy may have brought the number that the first notification did not print.
    if (bankAccountOf(account, { bank_code, account_number })?.bank_account_id === bank_account_id)
      waiting.add(copy_of ?? transaction_id)
  }
  const ids = [...waiting].sort((a, b) => a - b)
  for (let at = 0; at < ids.length; at += AT_A_TIME)
    await releaseTransactions(store, account, occasion, { ids: ids.slice(at, at + AT_A_TIME), since })
}
