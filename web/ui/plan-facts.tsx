// Tests: tests/e2e/browser/dashboard.test.ts
/** The account's plan, its end, and what of it is used: rows of a list of pairs. */
import type { Account } from '../api/types.ts'
import { count, day } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { isOverQuota } from '../app/session.ts'

export const PlanFacts = ({ of }: { of: Account }) => {
  const t = texts.value.settings.account
  const { transactions: used, limit } = of.usage
  const number = (value: number) => count(value, language.value)
  return (
    <>
      <dt>{t.plan}</dt>
      <dd>{of.plan}</dd>
      {of.plan_expires_at && (
        <>
          <dt>{t.until}</dt>
          <dd>{day(of.plan_expires_at, language.value)}</dd>
        </>
      )}
      <dt>{t.usage}</dt>
      <dd>
        {limit === null ? (
          t.unlimited(number(used))
        ) : (
          <>
            {t.of(number(used), number(limit))}
            <progress value={Math.min(used, limit)} max={limit} aria-label={t.usage} />
            {isOverQuota(of) && <p>{texts.value.common.overQuota}</p>}
          </>
        )}
      </dd>
    </>
  )
}
