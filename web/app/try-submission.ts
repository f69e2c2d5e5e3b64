// Tests: tests/e2e/browser/dashboard.test.ts
/** Submits a text as a phone would, and sets up what it needs: a personal URL, a shop with a prefix, and a test inbox with its webhook. */
import { get, getData, nullIfMissing, postData, putData } from '../api/client.ts'
import type { Inbox, Received, ReceiveUrl, Rule, System } from '../api/types.ts'
import { movedInbox } from './moved-inbox.ts'

const PREFIX = 'DH'

export const listInboxes = async (): Promise<Inbox[]> => (await get<{ data: Inbox[] }>('/api/inbox')).data

export const firstPrefix = (systems: readonly System[]): string =>
  systems.find(({ is_active }) => is_active === 1)?.payment_prefix ?? PREFIX

/** An owner may have ended the personal URL. A new one ends the current one, so it is created only if there is none. */
const personalUrl = async (): Promise<ReceiveUrl> =>
  (await getData<ReceiveUrl>('/api/receive-url').catch(nullIfMissing)) ??
  (await postData<ReceiveUrl>('/api/receive-url/rotate'))

/** @param name  of the shop, if there is none yet */
const needShop = async (name: string): Promise<void> => {
  const systems = await getData<System[]>('/api/systems')
  if (!systems.some(({ is_active }) => is_active === 1))
    await postData<System>('/api/systems', { name, type: 'custom', payment_prefix: PREFIX })
}

const isActive = ({ is_active }: Rule): boolean => is_active === 1

/** @returns whether a webhook that is switched on calls the inbox */
export const isCalled = ({ url }: Pick<Inbox, 'url'>, rules: readonly Rule[]): boolean =>
  rules.some((rule) => isActive(rule) && (rule.url === url || movedInbox(rule, [{ url }]) !== null))

/** @param name  of its webhook */
export const needInbox = async (name: string): Promise<void> => {
  const [first] = await listInboxes()
  const { url } = first ?? (await postData<{ url: string }>('/api/inbox'))
  const rules = await getData<Rule[]>('/api/webhooks')
  const called = rules.filter((rule) => rule.url === url)
  if (called.some(isActive)) return
  // A second one would count towards the plan too.
  const known = called[0] ?? rules.find((rule) => movedInbox(rule, [{ url }]) !== null)
  if (known) await putData<Rule>(`/api/webhooks/${known.id}`, { url, is_active: 1 })
  else await postData<Rule>('/api/webhooks', { name, url, filter_type: 'both' })
}

export const submitText = async (
  given: { text: string; sender: string },
  names: { shop: string; /** null: no inbox is needed */ inbox: string | null },
): Promise<Received> => {
  await needShop(names.shop)
  if (names.inbox !== null) await needInbox(names.inbox)
  // The page calls its own origin, whatever the base URL of the service is.
  return postData<Received>(new URL((await personalUrl()).url).pathname, given)
}
