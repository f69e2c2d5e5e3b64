// Tests: tests/e2e/browser/dashboard.test.ts
/** Today: did money arrive, and is anything broken. */
import { queryOptions, useQuery } from '@tanstack/preact-query'
import { get, getData } from '../api/client.ts'
import type { Alert, BankAccount, ListedTransaction, Notification, Page, Stats } from '../api/types.ts'
import { alertLink } from '../app/alert-link.ts'
import { sum, vietnamDay } from '../app/format.ts'
import { count, money, signedSum, weekday } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { presentDay, presentTime } from '../app/present.ts'
import { isOverQuota, queries, useAccount } from '../app/session.ts'
import { DAY_MS } from '../app/vietnam-time.ts'
import { PARTS } from '../paths.ts'
import { After } from '../ui/after.tsx'
import { AlertText, isOpen, useAlerts } from '../ui/alerts.tsx'
import { Heading, lettersOf } from '../ui/basics.tsx'
import { FailedRead, Loaded } from '../ui/loaded.tsx'
import { ConfirmBankAccount, useBankAccounts } from '../ui/bank-accounts.tsx'
import { stepsAhead, useFirstSteps } from '../ui/checklist.tsx'
import { DayBars, type DayTotal } from '../ui/day-bars.tsx'
import { useWaiting } from '../ui/undelivered.ts'
import { NoTransactions, TransactionTable } from '../ui/transaction-table.tsx'

const DAYS = 14
const CURRENCY = 'VND'
/** A stranger can name any number of accounts. */
const MOST_ASKED = 3

const totalsOf = ({ days }: Stats): DayTotal[] =>
  Array.from({ length: DAYS }, (_, index) => {
    const date = vietnamDay(DAYS - 1 - index, presentDay.value)
    const own = days.filter((each) => each.date === date && each.currency === CURRENCY)
    return { date, credit: sum(own.map(({ credit }) => credit)), debit: sum(own.map(({ debit }) => debit)) }
  })

const Figures = ({ of }: { of: readonly DayTotal[] }) => {
  const t = texts.value.today
  const now = of.at(-1)!
  const before = of.at(-8)!
  const text = (amount: string) => money(amount, CURRENCY)
  const [received, spent] = [signedSum('credit', now.credit, CURRENCY), signedSum('debit', now.debit, CURRENCY)]
  return (
    <div class="figures">
      <div>
        <div>{t.in}</div>
        <div class="figure credit" style={lettersOf(received)}>
          {received}
        </div>
        <div class="muted">{t.before(text(before.credit))}</div>
      </div>
      <div>
        <div>{t.out}</div>
        <div class={now.debit === '0.00' ? 'lesser muted' : 'lesser debit'} style={lettersOf(spent)}>
          {spent}
        </div>
        <div class="muted">{t.before(text(before.debit))}</div>
      </div>
    </div>
  )
}

const Unconfirmed = ({ of }: { of: BankAccount }) => {
  const t = texts.value.today
  return (
    <li class="row between">
      <div>
        <h3>{t.confirm}</h3>
        <p>{t.confirmText(of.bank_code, of.account_number)}</p>
      </div>
      <ConfirmBankAccount of={of} />
    </li>
  )
}

const AlertLink = ({ of }: { of: Alert }) => {
  const link = alertLink(of)
  const { today, common } = texts.value
  return link && <a href={link.path}>{link.screen === 'plans' ? common.plans : today.see[link.screen]}</a>
}

const useAttention = () => {
  const alerts = useAlerts()
  const banks = useBankAccounts()
  const failed = useQuery({
    queryKey: ['undelivered', 'count'],
    queryFn: async () => (await get<Page<ListedTransaction>>('/api/transactions', { webhook_status: 'failed' })).total,
  })
  // The newest ones are enough: it is about those of a day.
  const ignored = useQuery({
    queryKey: ['ignored'],
    queryFn: async () => (await get<Page<Notification>>('/api/notifications', { status: 'ignored' })).data,
  })
  return { alerts, banks, failed, retried: useWaiting(), ignored }
}

const STATES = {
  failed: ['▲', '/undelivered?status=failed'],
  pending: ['◐', '/undelivered?status=pending'],
  neutral: ['–', '/unread?status=ignored'],
} as const

const Counted = ({ kind, text }: { kind: keyof typeof STATES; text: string }) => {
  const [shape, path] = STATES[kind]
  const { open } = texts.value.today
  return (
    <li class="row between">
      <span class={`status ${kind} wraps`}>
        <span aria-hidden="true">{shape}</span> {text}
      </span>
      <a class="button" href={path} aria-label={`${open}: ${text}`}>
        {open}
      </a>
    </li>
  )
}

/** Texts like a bank's of the last 24 hours, which a forwarder sent without the sender or the app. */
const isUntrusted = ({ reason, received_at }: Notification): boolean =>
  (reason === 'unknown_sender' || reason === 'unknown_app') && Date.parse(received_at) > presentTime.value - DAY_MS

const Attention = ({ of: { alerts, banks, failed, retried, ignored } }: { of: ReturnType<typeof useAttention> }) => {
  const { today: t, common } = texts.value
  const account = useAccount().data
  const isFull = account !== undefined && isOverQuota(account)
  const open = alerts.data?.filter((each) => each.kind !== 'new_bank_account' && isOpen(each)) ?? []
  const waiting = banks.data?.filter(({ confirmed }) => !confirmed) ?? []
  const unnamed = waiting.length - MOST_ASKED
  // Those without an error were not called yet.
  const repeated = (retried.data?.groups ?? []).reduce((sum, { error, count }) => sum + (error === null ? 0 : count), 0)
  const untrusted = ignored.data?.filter(isUntrusted).length ?? 0
  const others = [banks, failed, retried, ignored]
  const isKnown = others.every(({ data }) => data !== undefined)
  const read = {
    data: isKnown || undefined,
    error: others.find(({ error }) => error)?.error ?? null,
    refetch: () => Promise.all(others.map(({ refetch }) => refetch())),
  }
  return (
    <section class="block">
      <h2>{t.attention}</h2>
      <Loaded of={alerts}>
        {() => (
          <>
            <FailedRead of={read} />
            {open.length + waiting.length + (failed.data ?? 0) + repeated + untrusted === 0 ? (
              isKnown && <p>{t.calm}</p>
            ) : (
              <ul class="lines">
                {!!failed.data && <Counted kind="failed" text={t.failed(count(failed.data), failed.data === 1)} />}
                {repeated > 0 && <Counted kind="pending" text={t.repeated(count(repeated), repeated === 1)} />}
                {untrusted > 0 && <Counted kind="neutral" text={t.untrusted(count(untrusted), untrusted === 1)} />}
                {waiting.slice(0, MOST_ASKED).map((each) => (
                  <Unconfirmed key={each.id} of={each} />
                ))}
                {unnamed > 0 && (
                  <li>
                    <a href={PARTS.banks}>{t.unconfirmed(count(unnamed), unnamed === 1)}</a>
                  </li>
                )}
                {open.map((each) => (
                  <li key={each.id}>
                    <AlertText of={each} {...(each.kind === 'quota_80' && isFull && { title: common.overQuota })}>
                      <AlertLink of={each} />
                    </AlertText>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const statsUntil = (now: Date) => {
  const to = vietnamDay(0, now)
  return queryOptions({
    queryKey: ['stats', to],
    queryFn: () => getData<Stats>('/api/stats', { from: vietnamDay(DAYS - 1, now), to }),
  })
}
const LATEST_QUERY = queryOptions({
  queryKey: ['transactions', 'latest'],
  queryFn: () => get<Page<ListedTransaction>>('/api/transactions'),
})

/** Asks before the screen is drawn. */
export const ahead = (): void => {
  void queries.prefetchQuery(statsUntil(presentDay.value))
  void queries.prefetchQuery(LATEST_QUERY)
  stepsAhead()
}

export const Today = () => {
  const { today: t } = texts.value
  const stats = useQuery(statsUntil(presentDay.value))
  const latest = useQuery(LATEST_QUERY)
  const steps = useFirstSteps()
  const attention = useAttention()
  return (
    <>
      <Heading title={t.title} />
      <div class="stack wide">
        <After of={[...steps.asked, stats]}>
          {steps.list}
          <Loaded of={stats}>
            {(found) => {
              const totals = totalsOf(found)
              return (
                <>
                  <Figures of={totals} />
                  <section class="block">
                    <h2>{t.days}</h2>
                    {totals.some(({ credit, debit }) => credit !== '0.00' || debit !== '0.00') ? (
                      <DayBars of={totals} currency={CURRENCY} dayOf={weekday} />
                    ) : (
                      <p>{t.noMoney}</p>
                    )}
                  </section>
                </>
              )
            }}
          </Loaded>
          <After of={Object.values(attention)}>
            <Attention of={attention} />
            <section class="stack tight">
              <div class="row between">
                <h2>{t.latest}</h2>
                <a href="/transactions">{t.all}</a>
              </div>
              <Loaded of={latest}>
                {({ data }) => (data.length > 0 ? <TransactionTable rows={data.slice(0, 8)} /> : <NoTransactions />)}
              </Loaded>
            </section>
          </After>
        </After>
      </div>
    </>
  )
}
