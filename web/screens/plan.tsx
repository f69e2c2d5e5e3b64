// Tests: tests/e2e/browser/dashboard.test.ts
/** The plans: the current one, all with their prices and limits, and the payment of the one that was ordered. */
import { useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import { getData, postData } from '../api/client.ts'
import type { Account, Plan, PlanOffer, PlanOrder } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { count, money } from '../app/localised.ts'
import { keepOrder, keptOrder } from '../app/kept-order.ts'
import { texts } from '../app/language.ts'
import { isPaid, type OpenOrder } from '../app/plan-order.ts'
import { ACCOUNT_QUERY, queries, useAccount } from '../app/session.ts'
import { useAction } from '../ui/action.ts'
import { ActionProblem, Heading } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { PlanFacts } from '../ui/plan-facts.tsx'
import { PlanPaid, PlanPayment } from '../ui/plan-payment.tsx'

/** The plan before the order is requested again: a payment is noticed by the difference from it. */
const order = async (plan: Plan): Promise<OpenOrder> => {
  const { id, plan: present, plan_expires_at } = await queries.fetchQuery({ ...ACCOUNT_QUERY, staleTime: 0 })
  const before = { id, plan: present, plan_expires_at }
  return { before, plan, at: Date.now(), order: await postData<PlanOrder>('/api/plans/order', { plan }) }
}

const limitsOf = (of: PlanOffer): string => {
  const t = texts.value.plan.limits
  const { transactions, devices, mail_accounts, webhook_rules, systems } = of
  const counted = (limit: number | null, text: (count: string | null, isOne: boolean) => string) =>
    text(limit === null ? null : count(limit), limit === 1)
  return [
    counted(transactions, t.transactions),
    counted(devices, t.devices),
    counted(mail_accounts, t.mailboxes),
    counted(webhook_rules, t.webhooks),
    counted(systems, t.shops),
  ].join(', ')
}

/** A smaller plan would end the current one. A plan without an end cannot be extended. */
const choiceOf = (plan: Plan, account: Account, plans: readonly PlanOffer[]): 'buy' | 'renew' | 'later' | null => {
  const rankOf = (wanted: Plan): number => plans.findIndex((each) => each.plan === wanted)
  const above = rankOf(plan) - rankOf(account.plan)
  if (plan === 'Free') return null
  if (above > 0) return 'buy'
  if (account.plan_expires_at === null) return null
  return above === 0 ? 'renew' : 'later'
}

interface OfferProps {
  of: PlanOffer
  isPresent: boolean
  choice: ReturnType<typeof choiceOf>
  isOrdering: boolean
  choose: () => void
}

const Offer = ({ of, isPresent, choice, isOrdering, choose }: OfferProps) => {
  const t = texts.value.plan
  return (
    <li class="row between">
      <div>
        <h3>
          {of.plan}
          {isPresent && <span class="muted"> · {t.present}</span>}
        </h3>
        <p>{of.plan === 'Free' ? t.free : t.price(money(of.price, 'VND'))}</p>
        <p class="muted">{limitsOf(of)}</p>
        {choice === 'later' && <p class="muted">{t.later}</p>}
      </div>
      {(choice === 'buy' || choice === 'renew') && (
        <button class="button" type="button" disabled={isOrdering} onClick={choose}>
          {choice === 'buy' ? t.buy(of.plan) : t.renew(of.plan)}
        </button>
      )}
    </li>
  )
}

const Offers = ({ account, ordered }: { account: Account; ordered: (order: OpenOrder) => void }) => {
  const t = texts.value.plan
  const plans = useQuery({ queryKey: ['plans'], queryFn: () => getData<PlanOffer[]>('/api/plans') })
  const action = useAction(order)
  const choose = async (plan: Plan): Promise<void> => {
    const made = await action.run(plan)
    if (made) ordered(made)
  }
  return (
    <section class="block stack tight">
      <h2>{t.all}</h2>
      <p>{t.lead}</p>
      {account.plan_expires_at && <p>{t.replaces}</p>}
      <ActionProblem error={action.error} />
      <Loaded of={plans}>
        {(all) => (
          <ul class="lines">
            {all.map((each) => (
              <Offer
                key={each.plan}
                of={each}
                isPresent={each.plan === account.plan}
                choice={choiceOf(each.plan, account, all)}
                isOrdering={action.isRunning}
                choose={() => void choose(each.plan)}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}

const Plans = ({ account }: { account: Account }) => {
  const t = texts.value.plan
  const [open, setOpen] = useState(() => keptOrder(account.id))
  const [isDone, setDone] = useState(false)
  const keep = (made: OpenOrder | null, hasArrived: boolean): void => {
    keepOrder(made)
    setOpen(made)
    setDone(hasArrived)
    if (made || hasArrived) announce(made ? t.ordered : t.paid)
  }
  const hasArrived = open !== null && isPaid(open, account)
  useEffect(() => {
    if (hasArrived) keep(null, true)
  }, [hasArrived])
  const isWaiting = open !== null && !hasArrived
  return (
    <div class="stack wide">
      {isWaiting && <PlanPayment of={open} leave={() => keep(null, false)} />}
      {isDone && <PlanPaid of={account} />}
      <section class="block stack tight">
        <h2>{t.present}</h2>
        <dl class="pairs">
          <PlanFacts of={account} />
        </dl>
      </section>
      {!isWaiting && <Offers account={account} ordered={(made) => keep(made, false)} />}
    </div>
  )
}

export const PlanPage = () => {
  const account = useAccount()
  return (
    <>
      <Heading title={texts.value.plan.title} />
      <Loaded of={account}>{(given) => <Plans account={given} />}</Loaded>
    </>
  )
}
