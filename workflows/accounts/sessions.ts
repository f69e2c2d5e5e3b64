// Tests: tests/integration/http/session.test.ts
import { endSession } from '../../domain/account/sessions.ts'
import { Refused } from '../../domain/errors.ts'
import type { Clock } from '../../domain/ports.ts'
import type { Accounts } from './accounts.ts'
import { ownCause } from '../support/stamp.ts'

/** Ends a session: its cookie is invalid from now on, wherever it is stored. @throws {StoreUnavailable} */
export const endSessionOf = async (
  { accounts, clock }: { accounts: Accounts; clock: Clock },
  { user_id, session_id, expires_at }: { user_id: number; session_id: string | null; expires_at: Date },
): Promise<void> => {
  if (session_id === null) return
  const at = clock.now()
  await accounts
    .change({ user_id, at, ...ownCause() }, (account) => endSession(account, { session_id, expires_at, at }))
    .catch((error: unknown) => {
      // A deleted account has no sessions.
      if (!(error instanceof Refused)) throw error
    })
}
