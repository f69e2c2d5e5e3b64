// Tests: tests/integration/http/store-away.test.ts
/**
 * Finds the account of a caller. While the event store is away, requests that only read are answered with the account as the store
 * last confirmed it, so that lists keep working from the read models. The rules:
 *
 * - This process has read the account from the store within the last hour.
 * - The read models have no newer event of the account. So a key that was revoked elsewhere is refused as soon as they know.
 * - Requests that change data, and callers that this account does not admit, are answered with 503: they may be right by now.
 */
import type { Account } from '../../../domain/account/account.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { UnreadableEvent } from '../../../domain/parse-event.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { projectedRevision } from '../../../projections/account/queries.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'
import type { SharedDatabase } from '../../database/fair-shares.ts'
import { within } from '../../system/within.ts'

const CONFIRMED_WITHIN_MS = HOUR_MS
/** A request for a confirmed account waits this long for the store, milliseconds. */
const PATIENCE_MS = 2_000

const READING = new Set(['GET', 'HEAD'])

export interface CurrentAccount {
  account: Account | null
  /** The store is away and the account comes from memory: a caller that it does not admit is answered with this error. */
  away: StoreUnavailable | null
}

export interface CurrentAccountParts {
  accounts: Pick<Accounts, 'find' | 'confirmed'>
  database: SharedDatabase
}

const late = () => new StoreUnavailable('the event store did not answer in time')

/** @param method  of the request @throws {StoreUnavailable} */
export const currentAccount = async (
  { accounts, database }: CurrentAccountParts,
  method: string,
  userId: number,
): Promise<CurrentAccount> => {
  const confirmed = READING.has(method) ? accounts.confirmed(userId, CONFIRMED_WITHIN_MS) : null
  if (!confirmed) return { account: await accounts.find(userId), away: null }
  try {
    return { account: await within(PATIENCE_MS, accounts.find(userId), late), away: null }
  } catch (error) {
    // An account with an event that cannot be read may have revoked the key with it.
    if (!(error instanceof StoreUnavailable) || error instanceof UnreadableEvent) throw error
    const known = await projectedRevision(database.of(userId), userId)
    if (known === null || known > confirmed.revision) throw error
    return { account: confirmed.account, away: error }
  }
}
