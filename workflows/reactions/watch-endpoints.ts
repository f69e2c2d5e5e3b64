/**
 * Alerts about endpoints that fail, by the rule that opens their breakers: so many attempts in a row, of several deliveries of
 * one user to one origin. The first answer ends it, and so does the last rule that led there.
 *
 * What is counted is in memory: after a start ten more failures are waited for, which is the cost of asking nothing at an attempt
 * that succeeds while nothing is wrong.
 */
import type { Account } from '../../domain/account/account.ts'
import type { AccountEventData } from '../../domain/account/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { DELIVERIES_TO_OPEN, FAILURES_TO_OPEN, saysOfEndpoint } from '../../domain/webhook/endpoint.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { reaction, type Answered, type Reaction } from './reaction.ts'

/** Endpoints whose failures are counted at a time. */
const WATCHED = 10_000

interface Failing {
  failures: number
  deliveries: Set<string>
  since: string
}

type Attempted = TransactionEventData['WebhookAttempted']

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null)

const originsOf = (account: Account | null): Set<string | null> =>
  new Set([...(account?.rules.values() ?? [])].map(({ url }) => originOf(url)))

export const watchEndpoints = (
  alerts: Pick<Alerts, 'raise' | 'end' | 'lasting'>,
  accounts: Pick<Accounts, 'find'>,
): Reaction => {
  const failing = new Map<string, Failing>()
  const kind = 'endpoint_failing' as const

  const end = async ({ id, metadata }: RecordedEvent, user_id: number, subject: string): Answered => {
    failing.delete(`${user_id} ${subject}`)
    if (!(await alerts.lasting(user_id, kind)).includes(subject)) return 'nothing'
    const { correlation_id, at: until } = metadata
    await alerts.end({ user_id, kind, subject, until, causation_id: id, correlation_id })
  }

  const count = (key: string, { transaction_id, rule_id, sent_at }: Attempted): Failing => {
    const known = failing.get(key)
    const { failures, deliveries, since } = known ?? { failures: 0, deliveries: new Set<string>(), since: sent_at }
    // More of them than are needed are not kept.
    if (deliveries.size < DELIVERIES_TO_OPEN) deliveries.add(`${transaction_id} ${rule_id}`)
    const counted = { failures: failures + 1, deliveries, since }
    failing.delete(key)
    failing.set(key, counted)
    if (failing.size > WATCHED) failing.delete(failing.keys().next().value!)
    return counted
  }

  const endWithoutRules = async (
    event: RecordedEvent<string, AccountEventData['RuleDeleted' | 'RuleChanged']>,
  ): Promise<void> => {
    const { user_id } = event.data
    const alerted = await alerts.lasting(user_id, kind)
    if (alerted.length === 0) return
    const origins = originsOf(await accounts.find(user_id))
    for (const origin of alerted) if (!origins.has(origin)) await end(event, user_id, origin)
  }

  return reaction('watch_endpoints', ['account-', 'transaction-'], {
    WebhookAttempted: async (event) => {
      const { data, metadata } = event
      const { user_id, correlation_id } = metadata
      const subject = originOf(data.url)
      const says = saysOfEndpoint(data)
      if (user_id === null || subject === null || says === null) return 'nothing'
      if (says === 'answers') return end(event, user_id, subject)
      const { failures, deliveries, since } = count(`${user_id} ${subject}`, data)
      if (failures < FAILURES_TO_OPEN || deliveries.size < DELIVERIES_TO_OPEN) return 'nothing'
      if ((await alerts.lasting(user_id, kind)).includes(subject)) return 'nothing'
      const how = data.http_status === 0 ? `no answer (${data.error ?? 'unknown'})` : `it answered ${data.http_status}`
      const text =
        `The endpoint ${subject} keeps failing: ${failures} calls in a row, the last with ${how}. ` +
        'Its deliveries are tried again by the schedule; this ends with the first call that succeeds.'
      await alerts.raise({ user_id, kind, subject, text, since, causation_id: event.id, correlation_id })
    },
    RuleDeleted: endWithoutRules,
    RuleChanged: async (event) => {
      if (event.data.url !== undefined) await endWithoutRules(event)
    },
  })
}
