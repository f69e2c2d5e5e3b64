// Tests: tests/integration/http/webhooks.test.ts
/**
 * Webhook rules: everything that their owner lists, and everything that a call needs, so that sending reads nothing
 * else.
 */
import { endpointOf } from '../../domain/webhook/endpoint.ts'
import { insert, projection, remove, table, update } from '../engine/definition.ts'
import { givenOnly } from '../engine/changes.ts'

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
  },
  {
    key: ['rule_id'],
    indexes: ['(user_id, rule_id)', '(user_id, endpoint)', '(rule_id) WHERE ordered = 1 OR max_per_minute IS NOT NULL'],
  },
)

export const rule = projection(
  ruleTable,
  { version: 3 },
  {
    RuleCreated: ({ data: { max_per_minute = null, ordered = 0, ...data }, revision }) =>
      insert(ruleTable, {
        ...data, max_per_minute, ordered, endpoint: endpointOf(data.url), account_revision: revision,
      }), // prettier-ignore
    RuleChanged: ({ data: { rule_id, user_id: _, ...fields }, revision }) => {
      const endpoint = fields.url === undefined ? undefined : endpointOf(fields.url)
      return update(ruleTable, { rule_id }, { ...givenOnly({ ...fields, endpoint }), account_revision: revision })
    },
    RulePaused: ({ data: { rule_id }, revision }) =>
      update(ruleTable, { rule_id }, { is_active: 0, account_revision: revision }),
    RuleSecretRotated: ({ data: { rule_id, user_id: _, ...secrets }, revision }) =>
      update(ruleTable, { rule_id }, { ...secrets, account_revision: revision }),
    RuleSecretRotationFinished: ({ data: { rule_id }, revision }) =>
      update(ruleTable, { rule_id }, { sealed_previous: null, previous_until: null, account_revision: revision }),
    RuleDeleted: ({ data: { rule_id } }) => remove(ruleTable, { rule_id }),
  },
)
