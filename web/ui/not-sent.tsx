// Tests: tests/e2e/browser/dashboard.test.ts
/** The part of a transaction that calls no webhook: why nothing is sent. */
import type { Transaction } from '../api/types.ts'
import { unconfirmedAccount } from '../app/called-rules.ts'
import { hasComeBack, heldFor, matchedRules } from '../app/held-for.ts'
import { texts } from '../app/language.ts'
import { ConfirmBankAccount, useBankAccounts } from './bank-accounts.tsx'
import { isOverQuota, useAccount } from '../app/session.ts'
import { PARTS, PATHS } from '../paths.ts'
import { Loading, Stranger } from './basics.tsx'
import { hindrance, useRules, useSystems } from './rules.tsx'
import { useHistory } from './history.tsx'

interface NotSentProps {
  of: Transaction
  /** Tries the webhooks again. */
  rematch?: () => void
  isRunning?: boolean
}

/** Why nothing is sent, and the button that changes it. */
export const NotSent = ({ of, rematch, isRunning = false }: NotSentProps) => {
  const { transaction: t, common } = texts.value
  const banks = useBankAccounts()
  const isUnmatched = of.webhook_status === 'no_match'
  const isPending = of.webhook_status === 'pending'
  const history = useHistory(of.id, isUnmatched || isPending)
  // An old notification does not wait for the confirmation of its account.
  const isOld = isUnmatched && heldFor(history.data ?? []) === 'old_notification'
  // Money that came back does not wait for it either.
  const isReturn = isUnmatched && !isOld && hasComeBack(history.data ?? [])
  const waiting = isOld || isReturn ? undefined : unconfirmedAccount(of, banks.data ?? [])
  const systems = useSystems()
  const account = useAccount().data
  const waitsForQuota = isPending && account !== undefined && isOverQuota(account)
  const prefixes = systems.data?.filter(({ is_active }) => is_active === 1).map((each) => each.payment_prefix)
  const isOfShop = isUnmatched && !isOld && !isReturn && !waiting && prefixes !== undefined
  const rules = useRules()
  const hasNoWebhook = isOfShop && prefixes.length > 0 && rules.data?.every(({ is_active }) => is_active === 0) === true
  const hindered = (rules.data ?? []).flatMap((rule) => {
    const isMeant = isPending && !waitsForQuota && matchedRules(history.data ?? []).includes(rule.id)
    const why = isMeant ? (hindrance(rule, 'pending') ?? (rule.ordered === 1 ? t.noAttempts.ordered : null)) : null
    return why === null ? [] : [{ rule, why }]
  })
  const canRematch = isUnmatched && !waiting && rematch !== undefined
  if (history.isLoading || (isUnmatched && rules.isLoading)) return <Loading />
  return (
    <div class="notice stack tight">
      <p>
        {isOld
          ? t.whyNoMatch.old
          : isReturn
            ? t.whyNoMatch.cameBack
            : waiting
              ? t.whyNoMatch.unconfirmed(waiting.bank_code, waiting.account_number)
              : isOfShop && prefixes.length === 0
                ? t.whyNoMatch.noShop
                : hasNoWebhook
                  ? t.whyNoMatch.noWebhook
                  : waitsForQuota
                    ? common.overQuota
                    : hindered.length > 0
                      ? t.noAttempts.waits
                      : ((t.noAttempts as Record<string, string>)[of.webhook_status] ?? t.noAttempts.other)}
      </p>
      {hindered.map(({ rule, why }) => (
        <p key={rule.id}>
          <a href={`/webhooks/${rule.id}`}>
            <Stranger text={rule.name} />
          </a>
          {': '}
          {why}
        </p>
      ))}
      {isOld && <p>{t.whyNoMatch.oldCure}</p>}
      {waitsForQuota && (
        <p>
          <a href={PATHS.plan}>{common.plans}</a>
        </p>
      )}
      {isOfShop && (
        <p>
          {hasNoWebhook ? (
            <a href={PATHS.webhooks}>{t.whyNoMatch.webhooks}</a>
          ) : (
            <>
              {prefixes.length > 0 && t.whyNoMatch.prefixes(prefixes.join(', '))}{' '}
              <a href={PARTS.shops}>{t.whyNoMatch.shops}</a>
            </>
          )}
        </p>
      )}
      {waiting && (
        <div class="row">
          <ConfirmBankAccount of={waiting} />
        </div>
      )}
      {canRematch && (
        <div>
          <button class="button main" type="button" disabled={isRunning} onClick={rematch}>
            {t.whyNoMatch.match}
          </button>
        </div>
      )}
    </div>
  )
}
