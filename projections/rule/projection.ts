// Tests: tests/integration/http/webhooks.test.ts
/**
 * Webhook rules: everything that their owner lists, and everything that a call needs, so that sending reads nothing
 * else.
 */
import { endpointOf } from '../../domain/webhook/endpoint.ts'
import { insert, perform, projection, remove, table, update, type Operation } from '../engine/definition.ts'
import { givenOnly } from '../engine/given-only.ts'

const ruleTable = table(
  'rule',
  {
    rule_id: 'bigint',
    user_id: 'bigint',
    system_id: 'bigint',
    name: 'text',
    url: 'text',
    sealed_secret: 'text',
    /** The secret before the last rotation. It also signs until `previous_until`. */
    sealed_previous: 'text',
    previous_until: 'timestamptz',
    http_method: 'text',
    filter_banks: 'text[]',
    filter_type: 'text',
    min_amount: 'bigint',
    payload_format: 'text',
    custom_template: 'text',
    is_active: 'smallint',
    is_auto: 'smallint',
    created_at: 'timestamptz',
    max_per_minute: 'integer',
    ordered: 'smallint',
    /** Scheme, host and port of the url. The endpoint's breaker is stored under it. */
    endpoint: 'text',
    /** Revision of the account's event that changed the rule last. With it, a request can be rebuilt exactly as it was. */
    account_revision: 'integer',
    /** Since when its present url may be called. It was created, switched on or given the url, or its account was unlocked. */
    active_since: 'timestamptz',
  },
  {
    key: ['rule_id'],
    indexes: ['(user_id, rule_id)', '(user_id, endpoint)', '(rule_id) WHERE ordered = 1 OR max_per_minute IS NOT NULL'],
  },
)

const activeSince: Operation = {
  name: 'rules_of_unlocked_active_since',
  values: { user_id: 'bigint', active_since: 'timestamptz' },
  sql: (schema) => `UPDATE ${schema}.rule t SET active_since = v.active_since FROM v WHERE t.user_id = v.user_id`,
  acrossStreams: false,
}

export const rule = projection(
  ruleTable,
  { version: 4, operations: [activeSince] },
  {
    RuleCreated: ({ data: { max_per_minute = null, ordered = 0, ...data }, revision, metadata }) =>
      insert(ruleTable, {
        ...data,
        max_per_minute,
        ordered,
        endpoint: endpointOf(data.url),
        account_revision: revision,
        active_since: metadata.at,
      }),
    RuleChanged: ({ data: { rule_id, user_id: _, ...fields }, revision, metadata }) => {
      const { url, is_active } = fields
      const endpoint = url === undefined ? undefined : endpointOf(url)
      const active_since = url !== undefined || is_active === 1 ? metadata.at : undefined
      const changes = givenOnly({ ...fields, endpoint, active_since })
      return update(ruleTable, { rule_id }, { ...changes, account_revision: revision })
    },
    RulePaused: ({ data: { rule_id }, revision }) =>
      update(ruleTable, { rule_id }, { is_active: 0, account_revision: revision }),
    RuleSecretRotated: ({ data: { rule_id, user_id: _, ...secrets }, revision }) =>
      update(ruleTable, { rule_id }, { ...secrets, account_revision: revision }),
    RuleSecretRotationFinished: ({ data: { rule_id }, revision }) =>
      update(ruleTable, { rule_id }, { sealed_previous: null, previous_until: null, account_revision: revision }),
    AccountUnlocked: ({ data: { user_id }, metadata }) =>
      perform(activeSince, [{ user_id, active_since: metadata.at }]),
    RuleDeleted: ({ data: { rule_id } }) => remove(ruleTable, { rule_id }),
  },
)
