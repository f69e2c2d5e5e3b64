// Tests: tests/e2e/browser/dashboard.test.ts
/** One transaction: its facts, its text on request, what happened, and every attempt. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { useQuery } from '@tanstack/preact-query'
import { getData, isMissing, post, remove } from '../api/client.ts'
import type { DeliveredTransaction } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { balance, signedMoney } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { queries } from '../app/session.ts'
import { idIn } from '../paths.ts'
import { AlertsAbout } from '../ui/alerts.tsx'
import { Attempts } from '../ui/attempts.tsx'
import { ActionProblem, Amount, Heading, lettersOf, Status, Stranger, When } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { MarkedText } from '../ui/marked-text.tsx'
import { NotSent } from '../ui/not-sent.tsx'
import { Pairs, type Pair } from '../ui/pairs.tsx'
import { History } from '../ui/history.tsx'
import { useAction } from '../ui/action.ts'
import { NotFound } from './not-found.tsx'

const STALE = ['transaction', 'transactions', 'stats', 'undelivered']

const Facts = ({ of }: { of: DeliveredTransaction }) => {
  const { facts, noOrder } = texts.value.transaction
  const rows: Pair[] = [
    [facts.order, of.order_id ?? noOrder],
    [facts.bank, of.bank_name],
    [facts.account, of.account_number],
    [facts.counterpart[of.transaction_type], of.counterpart_name && <Stranger text={of.counterpart_name} />],
    [facts.ref, of.transaction_ref && <Stranger text={of.transaction_ref} />],
    [facts.date, <When at={of.transaction_date} />],
    [facts.received, <When at={of.created_at} />],
    [facts.source, texts.value.common.source[of.source_type]],
    [facts.balance, of.balance_after && balance(of.balance_after, of.currency)],
    [facts.copyOf, of.already_run_of && <a href={`/transactions/${of.already_run_of}`}>{of.already_run_of}</a>],
  ]
  return <Pairs rows={rows.filter(([, value]) => value)} />
}

/** It waits for its next attempt. A first attempt is due already, or is over the quota. */
const isWaiting = ({ webhook_status, deliveries }: DeliveredTransaction): boolean =>
  webhook_status === 'pending' && deliveries.length > 0

const Page = ({ of, isRaw, showRaw }: { of: DeliveredTransaction; isRaw: boolean; showRaw: () => void }) => {
  const t = texts.value.transaction
  const { common } = texts.value
  const { route } = useLocation()
  const retry = useAction(() => post(`/api/transactions/${of.id}/retry`), STALE)
  const status = useRef(of.webhook_status)
  useEffect(() => {
    if (status.current !== of.webhook_status) announce(t.captured(of.id, common.status[of.webhook_status]))
    status.current = of.webhook_status
  }, [of.webhook_status])
  const send = async (): Promise<void> => {
    if (!(await retry.run())) return
    const now = queries.getQueryData<DeliveredTransaction>(['transaction', of.id, isRaw])
    announce(now?.webhook_status === 'no_match' ? t.stillNoMatch : t.retried)
  }
  return (
    <>
      <div class="figures">
        <span class="figure" style={lettersOf(signedMoney(of))}>
          <Amount of={of} />
        </span>
        <Status
          of={
            isWaiting(of) && of.deliveries.some(({ outcome }) => outcome !== 'delivered')
              ? 'retrying'
              : of.webhook_status
          }
        />
      </div>
      <ActionProblem error={retry.error} />
      <div class="columns">
        <div class="stack wide">
          <AlertsAbout id={of.id} />
          <section class="block stack">
            <div class="row between">
              <h2>{t.attempts}</h2>
              {of.webhook_status === 'success' && (
                <Confirm
                  button={t.again}
                  title={t.againTitle}
                  text={t.againText}
                  act={() => post(`/api/transactions/${of.id}/retry`, { again: true })}
                  stale={STALE}
                  done={t.retried}
                  isDangerous={false}
                />
              )}
              {(of.webhook_status === 'failed' || isWaiting(of)) && (
                <button class="button main" type="button" disabled={retry.isRunning} onClick={() => void send()}>
                  {isWaiting(of) ? t.sendNow : t.retry}
                </button>
              )}
            </div>
            {of.deliveries.length > 0 ? (
              <Attempts of={of.deliveries} />
            ) : (
              <NotSent of={of} rematch={() => void send()} isRunning={retry.isRunning} />
            )}
          </section>
          <section class="block stack tight">
            <h2>{t.text.title}</h2>
            {isRaw && of.description !== undefined ? (
              <MarkedText of={of} />
            ) : (
              <>
                <p class="muted">{t.text.hidden}</p>
                <div>
                  <button class="button" type="button" onClick={showRaw}>
                    {t.text.show}
                  </button>
                </div>
              </>
            )}
          </section>
        </div>
        <div class="stack wide">
          <section class="block">
            <Facts of={of} />
          </section>
          <section class="block">
            <h2>{t.story}</h2>
            <History id={of.id} />
          </section>
          <div>
            <Confirm
              button={t.remove}
              title={t.removeTitle}
              text={t.removeText}
              act={() => remove(`/api/transactions/${of.id}`)}
              stale={['transactions', 'stats']}
              done={t.removed}
              after={() => route('/transactions')}
            />
          </div>
        </div>
      </div>
    </>
  )
}

/** The router keeps the screen from one transaction to the next. Actions and requests belong to one of them. */
export const TransactionPage = () => {
  const id = idIn(useRoute().params.id)
  return id === null ? <Unknown /> : <One key={id} id={id} />
}

const Back = () => (
  <p>
    <a href="/transactions">← {texts.value.transaction.back}</a>
  </p>
)

const Unknown = () => (
  <>
    <Back />
    <NotFound />
  </>
)

const One = ({ id }: { id: number }) => {
  const t = texts.value.transaction
  const [isRaw, setRaw] = useState(false)
  const found = useQuery({
    queryKey: ['transaction', id, isRaw],
    queryFn: ({ signal }) =>
      getData<DeliveredTransaction>(`/api/transactions/${id}`, { include_raw: isRaw ? 1 : '' }, signal),
    placeholderData: (previous) => (previous?.id === id ? previous : undefined),
  })
  if (isMissing(found.error)) return <Unknown />
  return (
    <>
      <Back />
      <Heading title={t.title(id)} />
      <div class="stack wide">
        <Loaded of={found}>{(of) => <Page of={of} isRaw={isRaw} showRaw={() => setRaw(true)} />}</Loaded>
      </div>
    </>
  )
}
