// Tests: tests/e2e/browser/dashboard.test.ts
/** What a transaction shows that calls no webhook. */
import type { Transaction } from '../api/types.ts'
import { unconfirmedAccount } from '../app/called-rules.ts'
import { texts } from '../app/language.ts'
import { ConfirmBankAccount, useBankAccounts } from './bank-accounts.tsx'

/** Why nothing is sent, and the button that changes it. @param rematch  tries the webhooks again */
export const NotSent = ({ of, rematch }: { of: Transaction; rematch?: () => void }) => {
  const t = texts.value.transaction
  const banks = useBankAccounts()
  const waiting = unconfirmedAccount(of, banks.data ?? [])
  const canRematch = of.webhook_status === 'no_match' && !waiting && rematch !== undefined
  return (
    <div class="notice stack tight">
      <p>
        {waiting
          ? t.whyNoMatch.unconfirmed(waiting.bank_code, waiting.account_number)
          : ((t.noAttempts as Record<string, string>)[of.webhook_status] ?? t.noAttempts.other)}
      </p>
      {waiting && (
        <div class="row">
          <ConfirmBankAccount of={waiting} />
        </div>
      )}
      {canRematch && (
        <div>
          <button class="button main" type="button" onClick={rematch}>
            {t.whyNoMatch.match}
          </button>
        </div>
      )}
    </div>
  )
}
