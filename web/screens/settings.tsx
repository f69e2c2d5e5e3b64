// Tests: tests/e2e/browser/dashboard.test.ts
/** Settings: the account and its keys, shops, bank accounts, trusted senders and alerts. */
import { post } from '../api/client.ts'
import type { Account } from '../api/types.ts'
import { count, day } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { useAccount } from '../app/session.ts'
import { useAction } from '../ui/action.ts'
import { AlertSettings } from '../ui/alert-settings.tsx'
import { ApiKeys } from '../ui/api-keys.tsx'
import { BankAccounts } from '../ui/bank-accounts.tsx'
import { Heading, Loaded, Problem, Stranger } from '../ui/basics.tsx'
import { CounterLink } from '../ui/counter-link.tsx'
import { Shops } from '../ui/shops.tsx'
import { TrustedSenders } from '../ui/trusted-senders.tsx'

const Facts = ({ of }: { of: Account }) => {
  const t = texts.value.settings.account
  const { transactions: used, limit } = of.usage
  const number = (value: number) => count(value, language.value)
  const forgot = useAction(() => post('/api/auth/forgot-password', { email: of.email }))
  return (
    <>
      <dl class="pairs">
        <dt>{t.email}</dt>
        <dd>{of.email}</dd>
        {of.name && (
          <>
            <dt>{t.name}</dt>
            <dd>
              <Stranger text={of.name} />
            </dd>
          </>
        )}
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
            </>
          )}
        </dd>
      </dl>
      <p>{t.passwordText}</p>
      {forgot.error ? <Problem error={forgot.error} /> : null}
      {forgot.result ? (
        <p class="notice done" role="status">
          {t.sent}
        </p>
      ) : (
        <div>
          <button class="button" type="button" disabled={forgot.isRunning} onClick={() => void forgot.run()}>
            {t.password}
          </button>
        </div>
      )}
    </>
  )
}

export const Settings = () => {
  const { settings: t } = texts.value
  const account = useAccount()
  return (
    <>
      <Heading title={t.title} />
      <div class="columns">
        <div class="stack wide">
          <section class="block stack tight">
            <h2>{t.account.title}</h2>
            <Loaded of={account}>{(given) => <Facts of={given} />}</Loaded>
          </section>
          <ApiKeys />
        </div>
        <div class="stack wide">
          <Shops />
          <BankAccounts />
          <CounterLink />
          <TrustedSenders />
          <AlertSettings />
        </div>
      </div>
    </>
  )
}
