// Tests: tests/e2e/browser/dashboard.test.ts
/** Settings: the account and its keys, shops, bank accounts, trusted senders and alerts. */
import { post } from '../api/client.ts'
import type { Account } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { useAccount } from '../app/session.ts'
import { PATHS } from '../paths.ts'
import { After } from '../ui/after.tsx'
import { useAction } from '../ui/action.ts'
import { AlertSettings } from '../ui/alert-settings.tsx'
import { ApiKeys, useKeys } from '../ui/api-keys.tsx'
import { BankAccounts, useBankAccounts } from '../ui/bank-accounts.tsx'
import { ActionProblem, DoneNotice, Heading, Stranger } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { CounterLink } from '../ui/counter-link.tsx'
import { PlanFacts } from '../ui/plan-facts.tsx'
import { useSystems } from '../ui/rules.tsx'
import { Shops } from '../ui/shops.tsx'
import { TrustedSenders } from '../ui/trusted-senders.tsx'

const Facts = ({ of }: { of: Account }) => {
  const t = texts.value.settings.account
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
        <PlanFacts of={of} />
      </dl>
      <div>
        <a class="button" href={PATHS.plan}>
          {texts.value.common.plans}
        </a>
      </div>
      <p>{t.passwordText}</p>
      <ActionProblem error={forgot.error} />
      {forgot.result ? (
        <DoneNotice text={t.sent} />
      ) : (
        <div>
          <button class="button" type="button" disabled={forgot.isRunning} onClick={() => void forgot.run()}>
            {t.password}
          </button>
        </div>
      )}
      <p class="muted">{t.removal}</p>
    </>
  )
}

export const Settings = () => {
  const { settings: t } = texts.value
  const account = useAccount()
  const above = [account, useKeys(), useSystems(), useBankAccounts()]
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
          <After of={above}>
            <Shops />
            <BankAccounts />
            <CounterLink />
            <TrustedSenders />
            <AlertSettings />
          </After>
        </div>
      </div>
    </>
  )
}
