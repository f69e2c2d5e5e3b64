// Tests: tests/e2e/browser/dashboard.test.ts
/** The account's plan, its end, and what of it is used: rows of a list of pairs. */
import type { Account } from '../api/types.ts'
import { count, day } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { isOverQuota } from '../app/session.ts'

export const PlanFacts = ({ of }: { of: Account }) => {
  const t = texts.value.settings.account
  const { transactions: used, limit } = of.usage
  return (
    <>
      <dt>{t.plan}</dt>
      <dd>{of.plan}</dd>
      {of.plan_expires_at && (
        <>
          <dt>{t.until}</dt>
          <dd>{day(of.plan_expires_at)}</dd>
        </>
      )}
      <dt>{t.usage}</dt>
      <dd>
        {limit === null ? (
          t.unlimited(count(used))
        ) : (
          <>
            {t.of(count(used), count(limit))}
            <progress value={Math.min(used, limit)} max={limit} aria-label={t.usage} />
            {isOverQuota(of) && <p>{texts.value.common.overQuota}</p>}
          </>
        )}
      </dd>
    </>
  )
}
