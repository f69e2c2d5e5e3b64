// Tests: tests/unit/domain/account/rules.test.ts
/** Destinations of webhooks: systems, rules, counter, inboxes, and the address for alerts. */
import type { Inbox, Rule } from '../state.ts'
import type { Handlers } from './handlers.ts'
import { changed, set, without } from './maps.ts'

type Types =
  | 'SystemAdded'
  | 'SystemChanged'
  | 'SystemRemoved'
  | 'RuleCreated'
  | 'RuleChanged'
  | 'RulePaused'
  | 'RuleSecretRotated'
  | 'RuleSecretRotationFinished'
  | 'RuleDeleted'
  | 'CounterOpened'
  | 'CounterClosed'
  | 'AlertWebhookSet'
  | 'InboxOpened'
  | 'InboxChanged'
  | 'InboxClosed'

export const shopHandlers: Handlers<Types> = {
  SystemAdded: (account, { user_id: _, ...system }) => ({
    ...account,
    systems: set(account.systems, system.system_id, system),
  }),
  SystemChanged: (account, data) => ({ ...account, systems: changed(account.systems, data.system_id, data) }),
  SystemRemoved: (account, data) => ({ ...account, systems: without(account.systems, data.system_id) }),
  RuleCreated: (account, { user_id: _, max_per_minute = null, ordered = 0, ...fields }) => {
    const rule: Rule = { ...fields, max_per_minute, ordered, sealed_previous: null, previous_until: null }
    return { ...account, rules: set(account.rules, rule.rule_id, rule) }
  },
  RuleChanged: (account, data) => ({ ...account, rules: changed(account.rules, data.rule_id, data) }),
  RulePaused: (account, data) => ({ ...account, rules: changed(account.rules, data.rule_id, { is_active: 0 }) }),
  RuleSecretRotated: (account, data) => ({ ...account, rules: changed(account.rules, data.rule_id, data) }),
  RuleSecretRotationFinished: (account, data) => {
    const finished = { sealed_previous: null, previous_until: null }
    return { ...account, rules: changed(account.rules, data.rule_id, finished) }
  },
  RuleDeleted: (account, data) => ({ ...account, rules: without(account.rules, data.rule_id) }),
  CounterOpened: (account, data) => ({ ...account, counter_hash: data.token_hash }),
  CounterClosed: (account) => ({ ...account, counter_hash: null }),
  AlertWebhookSet: (account, { webhook_url, sealed_secret = account.alert_sealed_secret }) => {
    const alert_sealed_secret = webhook_url === null ? null : sealed_secret
    return { ...account, alert_webhook_url: webhook_url, alert_sealed_secret }
  },
  InboxOpened: (account, { user_id: _, ...opened }) => {
    const inbox: Inbox = { ...opened, answer: 200, delay_ms: 0 }
    return { ...account, inboxes: set(account.inboxes, inbox.inbox_id, inbox) }
  },
  InboxChanged: (account, data) => ({ ...account, inboxes: changed(account.inboxes, data.inbox_id, data) }),
  InboxClosed: (account, data) => ({ ...account, inboxes: without(account.inboxes, data.inbox_id) }),
}
