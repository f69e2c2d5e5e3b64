// Tests: tests/e2e/browser/first-minutes.test.ts
/** The first steps on Today. Once they are done, or hidden, they do not appear again in this browser. */
import { useEffect, useState } from 'preact/hooks'
import { queryOptions, useQuery } from '@tanstack/preact-query'
import { get, getData, nullIfMissing } from '../api/client.ts'
import type { Device, MailAccount, Page, ReceiveUrl, Rule, System, Transaction } from '../api/types.ts'
import { arePaymentStepsDone, stepsDone, STEPS, type FirstPayments, type SetUp, type Step } from '../app/checklist.ts'
import { choice } from '../app/choice.ts'
import { texts } from '../app/language.ts'
import { queries } from '../app/session.ts'
import { PARTS, PATHS } from '../paths.ts'

const kept = choice('checklist', ['unknown', 'open', 'hidden'], 'unknown')

const ADDRESS: Record<Step, string> = {
  text: PATHS.tryIt,
  call: PATHS.tryIt,
  source: PATHS.sources,
  shop: PARTS.shops,
  webhook: PATHS.newWebhook,
}

const total = async (webhook_status: string): Promise<number> =>
  (await get<Page<Transaction>>('/api/transactions', { webhook_status })).total

const findPayments = async (): Promise<FirstPayments> => {
  const [transactions, delivered, url] = await Promise.all([
    total(''),
    total('success'),
    // An owner may have ended it.
    getData<ReceiveUrl>('/api/receive-url').catch(nullIfMissing),
  ])
  return { transactions, delivered, url }
}

const findSetUp = async (): Promise<SetUp> => {
  const [devices, mailboxes, systems, rules] = await Promise.all([
    getData<Device[]>('/api/devices'),
    getData<MailAccount[]>('/api/mail-accounts'),
    getData<System[]>('/api/systems'),
    getData<Rule[]>('/api/webhooks'),
  ])
  return { devices, mailboxes, systems, rules }
}

const Steps = ({ of, hide }: { of: Record<Step, boolean>; hide: () => void }) => {
  const t = texts.value.today.checklist
  const isDone = STEPS.every((step) => of[step])
  return (
    <section class="block stack tight">
      <div class="row between">
        <h2>{t.title}</h2>
        <button class="button plain" type="button" onClick={hide}>
          {t.hide}
        </button>
      </div>
      {isDone && <p role="status">{t.done}</p>}
      <ol class="lines">
        {STEPS.map((step) => (
          <li key={step} class="check">
            <span class={of[step] ? 'status success' : 'status'} aria-hidden="true">
              <span>{of[step] ? '●' : '○'}</span>
            </span>
            <span>
              {t.steps[step]}
              <span class="hidden-text">. {of[step] ? t.ticked : t.open}</span>
            </span>
            {!of[step] && <a href={ADDRESS[step]}>{t.links[step]}</a>}
          </li>
        ))}
      </ol>
    </section>
  )
}

const SET_UP_QUERY = queryOptions({ queryKey: ['checklist'], queryFn: findSetUp })
/** Each payment may tick a step. Once it cannot, nothing is asked. */
const PAYMENTS_QUERY = queryOptions({
  queryKey: ['first-payments'],
  queryFn: findPayments,
  enabled: ({ state: { data } }) => !data || !arePaymentStepsDone(data),
})

/** Asks before the screen is drawn. */
export const stepsAhead = (): void => {
  if (kept.read() === 'hidden') return
  void queries.prefetchQuery(SET_UP_QUERY)
  void queries.prefetchQuery(PAYMENTS_QUERY)
}

/** @returns the query, if the steps are not hidden, and the list to draw */
export const useFirstSteps = () => {
  const [state, setState] = useState(kept.read())
  const keep = (next: 'open' | 'hidden'): void => {
    kept.keep(next)
    setState(next)
  }
  const isHidden = state === 'hidden'
  const setUp = useQuery({ ...SET_UP_QUERY, enabled: !isHidden })
  const payments = useQuery({ ...PAYMENTS_QUERY, ...(isHidden && { enabled: false }) })
  const done = setUp.data && payments.data && stepsDone({ ...setUp.data, ...payments.data })
  const isDone = done && STEPS.every((step) => done[step])
  // Somebody who needs no first steps never sees them.
  const isNeeded = state === 'open' || (state === 'unknown' && isDone === false)
  useEffect(() => {
    if (state === 'unknown' && isDone !== undefined) keep(isNeeded ? 'open' : 'hidden')
  }, [isDone])
  return {
    asked: isHidden ? [] : [setUp, payments],
    list: isNeeded && done ? <Steps of={done} hide={() => keep('hidden')} /> : null,
  }
}
