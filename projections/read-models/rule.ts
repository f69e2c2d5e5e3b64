/** Webhook rules: what their owner lists, and all that a call needs, so that sending one asks nothing else. */
import { insert, projection, remove, table, update } from '../definition.ts'
import { said } from '../said.ts'

export const ruleTable = table(
  'rule',
  {
    rule_id: 'bigint',
    user_id: 'bigint',
    system_id: 'bigint',
    name: 'text',
    url: 'text',
    sealed_secret: 'text',
    http_method: 'text',
    filter_banks: 'text[]',
    filter_type: 'text',
    min_amount: 'bigint',
    payload_format: 'text',
    custom_template: 'text',
    is_active: 'smallint',
    is_auto: 'smallint',
    created_at: 'timestamptz',
    /** Of the account's event that changed the rule last: with it a request can be made again as it was. */
    account_revision: 'integer',
  },
  { key: ['rule_id'], indexes: ['(user_id, rule_id)'] },
)

export const rule = projection(
  ruleTable,
  { version: 1 },
  {
    RuleCreated: ({ data, revision }) => insert(ruleTable, { ...data, account_revision: revision }),
    RuleChanged: ({ data: { rule_id, user_id: _, ...fields }, revision }) =>
      update(ruleTable, { rule_id }, { ...said(fields), account_revision: revision }),
    RulePaused: ({ data: { rule_id }, revision }) =>
      update(ruleTable, { rule_id }, { is_active: 0, account_revision: revision }),
    RuleDeleted: ({ data: { rule_id } }) => remove(ruleTable, { rule_id }),
  },
)
