// Tests: tests/e2e/browser/dashboard.test.ts
/** The installation, for its operator: what runs, what waits, versions and disk, accounts, and unsent mails. */
import { useInfiniteQuery, useQuery } from '@tanstack/preact-query'
import { get, getData } from '../api/client.ts'
import type { Mail, OperatorAccount, OperatorStatus, Page } from '../api/types.ts'
import { count, day } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { nextPage } from '../app/next-page.ts'
import { now } from '../app/present.ts'
import { refetchAfter, useAccount } from '../app/session.ts'
import { After } from '../ui/after.tsx'
import { Ago, Heading, StatusText, Stranger } from '../ui/basics.tsx'
import { Loaded, LoadedLines } from '../ui/loaded.tsx'
import { useFew } from '../ui/few.tsx'
import { Installation } from '../ui/installation.tsx'
import { NotFound } from './not-found.tsx'
import { More } from '../ui/more.tsx'

const REFETCH_MS = 15_000
const FEW = 20
const FIRST_ATTEMPT_MS = 60_000

const useOperator = <Value,>(name: string, path: string) =>
  useQuery({
    queryKey: ['operator', name],
    queryFn: () => getData<Value>(path),
    refetchInterval: ({ state }) => refetchAfter(state.error, REFETCH_MS),
  })

const useStatus = () => useOperator<OperatorStatus>('status', '/api/operator/status')
const useAccounts = () =>
  useInfiniteQuery({
    queryKey: ['operator', 'accounts'],
    queryFn: ({ pageParam }) => get<Page<OperatorAccount>>('/api/operator/accounts', { cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: nextPage,
    // Each page is a request of its own, and those of an hour are limited.
    refetchInterval: ({ state }) => (state.data?.pages[1] ? false : refetchAfter(state.error, REFETCH_MS)),
  })
const useOutbox = () => useOperator<Mail[]>('outbox', '/api/outbox')

const Accounts = () => {
  const { operator, common } = texts.value
  const t = operator.accounts
  const found = useAccounts()
  const stateOf = ({ locked, operator: isOperator }: OperatorAccount) =>
    locked ? t.locked : isOperator ? t.operator : t.unlocked
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <Loaded of={found}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data)
          const total = pages[0]?.total ?? 0
          return (
            <>
              <table class="ledger">
                <caption class="muted">{t.caption(count(total), total === 1)}</caption>
                <thead>
                  <tr>
                    <th scope="col">{t.email}</th>
                    <th scope="col">{t.plan}</th>
                    <th scope="col">{t.state}</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((each) => (
                    <tr key={each.id}>
                      <td>
                        <Stranger text={each.email} /> <span class="muted">{t.number(each.id)}</span>
                      </td>
                      <td class="right">
                        {each.plan}
                        {each.plan_expires_at && <span class="muted"> {t.until(day(each.plan_expires_at))}</span>}
                      </td>
                      <td>
                        {each.locked ? (
                          <StatusText kind="failed" text={stateOf(each)} />
                        ) : (
                          <StatusText kind="neutral" shape="●" text={stateOf(each)} />
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <More of={found} text={common.more} />
              {all.some(({ locked }) => locked) && <p class="muted">{t.unlock}</p>}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

const Outbox = () => {
  const t = texts.value.operator.outbox
  const found = useOutbox()
  const { data, rest } = useFew(found.data, FEW, t.more)
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      <LoadedLines of={{ ...found, data, refetch: found.refetch }} empty={t.empty}>
        {(each) => (
          <li key={each.id}>
            <details>
              <summary>
                <Stranger text={each.subject} />
              </summary>
              <pre tabIndex={0}>
                <Stranger text={each.text ?? ''} />
              </pre>
            </details>
            <div class="muted">
              <Stranger text={t.to(each.to)} />, <Ago at={each.created_at} />
              {!!each.tries && `, ${t.tried(count(each.tries), each.tries === 1)}`}
            </div>
          </li>
        )}
      </LoadedLines>
      {rest}
    </section>
  )
}

/** A mail server may refuse a mail for ever at the first attempt. But a first attempt may also be on its way. */
const isFailing = ({ tries = 0, created_at }: Mail): boolean =>
  tries > 1 || (tries === 1 && Date.parse(created_at) < now() - FIRST_ATTEMPT_MS)

const Everything = () => {
  const { operator: t } = texts.value
  const [status, accounts, outbox] = [useStatus(), useAccounts(), useOutbox()]
  const unsent = outbox.data?.filter(isFailing).length
  return (
    <>
      <Heading title={t.title} />
      <div class="stack wide">
        <p>{t.lead}</p>
        <After of={[status, accounts, outbox]}>
          <Loaded of={status}>{(of) => <Installation of={of} unsent={unsent} />}</Loaded>
          <Accounts />
          <Outbox />
        </After>
      </div>
    </>
  )
}

export const Operator = () => {
  const account = useAccount()
  return account.data && !account.data.operator ? <NotFound /> : <Everything />
}
