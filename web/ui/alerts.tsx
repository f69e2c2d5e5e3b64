// Tests: tests/e2e/browser/dashboard.test.ts
/** The account's alerts: all of them are on the screen Today, and those about a transaction on its own screen too. */
import { useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { getData } from '../api/client.ts'
import type { Alert } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { now } from '../app/present.ts'
import { Ago, Stranger } from './basics.tsx'

export const useAlerts = () => useQuery({ queryKey: ['alerts'], queryFn: () => getData<Alert[]>('/api/alerts') })

export const isOpen = ({ until }: Alert): boolean => !until || Date.parse(until) > now()

/** @param children  what stands below its text */
export const AlertText = ({ of, title, children }: { of: Alert; title?: string; children?: ComponentChildren }) => (
  <>
    <h3>{title ?? texts.value.today.alerts[of.kind] ?? of.kind}</h3>
    <p>
      <Stranger text={of.text} />
    </p>
    <p class="muted">
      <Ago at={of.since} />
    </p>
    {children}
  </>
)

/** For example, that a later copy of the transaction shows another order id. */
export const AlertsAbout = ({ id }: { id: number }) => {
  const about = useAlerts().data?.filter((each) => each.subject === `transaction:${id}` && isOpen(each)) ?? []
  return about.map((each) => (
    <section class="block" key={each.id}>
      <AlertText of={each} />
    </section>
  ))
}
