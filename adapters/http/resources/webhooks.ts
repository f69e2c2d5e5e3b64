// Tests: tests/integration/http/webhooks.test.ts
/** Webhook rules (interface, section 4.3). */
import { z } from 'zod'
import type { Rule as RuleState } from '../../../domain/account/account.ts'
import { deleteRule, ruleOf } from '../../../domain/account/rules.ts'
import { unlessNotOpened } from '../../../domain/errors.ts'
import { previousUntil, signingSecrets } from '../../../domain/webhook/secrets.ts'
import { changeRule, createRule, rotateRuleSecret, type WrittenRule } from '../../../workflows/accounts/rules.ts'
import { sendTest } from '../../../workflows/deliver/test-call.ts'
import { HEALTHY, endpointHealth } from '../../../projections/rule/health-queries.ts'
import { type ApiContext, idOf, occasionOf } from '../context.ts'
import { body, noBody, noBodyButQuery, optionalBody, query } from '../openapi/input.ts'
import { created, data, message, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations, refuses } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount, settled } from '../parts.ts'
import { bulkRetry, Queued } from './bulk-retry.ts'
import { Page, RuleTest } from './queries.ts'
import { BulkRetry, RuleChange, RuleCreation, SecretRotation } from './request-bodies.ts'
import { Logs, logsOf } from './webhook-logs.ts'
import { ruleFields } from '../../../domain/account/events.ts'
import type { Vault } from '../../../domain/ports.ts'
import { SEALED, secret, targetUrl, urlSent } from '../openapi/secrets.ts'
import { id, moment } from '../../../domain/fields.ts'

export const SecretKeyText = z.string().regex(/^[0-9a-f]{48}$/)
const SecretKey = secret(SecretKeyText, SEALED)
const PreviousUntil = moment.nullable().meta({
  description: 'Calls are also signed with the previous secret until then. null if no rotation is in progress.',
})

/** The only function that shows a signing secret. It is reached only by the secret's owner. */
export const presentSecret = (sealed: string, vault: Vault): string | null => unlessNotOpened(() => vault.open(sealed))

/** The response of a rotation. */
const RuleSecret = z.strictObject({ secret_key: SecretKey, previous_until: PreviousUntil }).meta({ id: 'RuleSecret' })

/** @param now  decides whether a rotation is in progress */
const presentRuleSecret = (rule: RuleState, vault: Vault, now: Date): z.output<typeof RuleSecret> => ({
  secret_key: presentSecret(rule.sealed_secret, vault),
  previous_until: previousUntil(rule, now.getTime()),
})

export const Rule = z
  .strictObject({
    id,
    user_id: id,
    system_id: id.nullable(),
    system_name: z.string().meta({ description: 'Empty if the rule has no system.' }),
    ...ruleFields.omit({ system_id: true }).required().shape,
    url: targetUrl(),
    secret_key: SecretKey,
    previous_until: PreviousUntil,
    is_auto: z.union([z.literal(0), z.literal(1)]),
    created_at: moment,
  })
  .meta({ id: 'Rule' })

/** A rule in the list also shows the health of its endpoint. */
const ListedRule = Rule.extend({
  health: z
    .strictObject({
      breaker: z
        .enum(['closed', 'open'])
        .meta({ description: '`open`: the endpoint gets only a probe every 30 seconds.' }),
      failures_in_a_row: z.int().min(0),
      open_since: moment.nullable(),
      next_probe_at: moment.nullable(),
      not_before: moment
        .nullable()
        .meta({ description: 'The endpoint asked not to be called before this time (Retry-After).' }),
    })
    .meta({ id: 'EndpointHealth' }),
}).meta({ id: 'ListedRule' })

/** Includes `secret_key`, as only the rule's owner can call this. */
export const presentRule =
  (userId: number, systems: ReadonlyMap<number, { name: string }>, vault: Vault, now: Date) =>
  (state: RuleState): z.output<typeof Rule> => {
    const { rule_id, sealed_secret: _, sealed_previous: __, system_id, is_active, is_auto, created_at, ...rule } = state
    return {
      id: rule_id,
      user_id: userId,
      system_id,
      system_name: system_id === null ? '' : (systems.get(system_id)?.name ?? ''),
      ...rule,
      ...presentRuleSecret(state, vault, now),
      is_active,
      is_auto,
      created_at,
    }
  }

/** Interface, 4.3: a failed test is a normal result, not an error response. */
const responded = { response_time_ms: z.int().min(0), response_body: z.string() }
const TestResult = z.union([
  z.strictObject({ success: z.literal(true), http_code: z.int(), ...responded }),
  z.strictObject({
    success: z.literal(false),
    http_code: z.int().meta({ description: '0 means no response.' }),
    error: z.string(),
    ...z.object(responded).partial().shape,
  }),
])

const ruleHandlers = (parts: ApiParts) => {
  const { clock, database, vault } = parts

  const listRules = async (context: ApiContext) => {
    const { user_id, rules, systems } = context.state.account
    const health = await endpointHealth(database.of(user_id), user_id)
    return [...rules.values()]
      .map(presentRule(user_id, systems, vault, clock.now()))
      .map((rule) => ({ ...rule, health: health.get(rule.id) ?? HEALTHY }))
      .reverse()
  }

  const writtenRule = async (context: ApiContext, written: WrittenRule) => {
    await settled(parts, written)
    return presentRule(context.state.account.user_id, written.systems, vault, clock.now())(written.rule)
  }

  const addRule = async (context: ApiContext, fields: z.infer<typeof RuleCreation>) =>
    writtenRule(context, await createRule(parts, occasionOf(context, clock), fields))

  const updateRule = async (context: ApiContext, change: z.infer<typeof RuleChange>) => {
    const url = urlSent(change.url, context.state.account.rules.get(idOf(context))?.url)
    return writtenRule(context, await changeRule(parts, occasionOf(context, clock), idOf(context), { ...change, url }))
  }

  const removeRule = async (context: ApiContext) => {
    const rule_id = idOf(context)
    await changeOwnAccount(parts, context, (account) => deleteRule(account, rule_id))
    return 'The webhook rule was deleted.'
  }

  const testRule = async (context: ApiContext, { sample }: z.infer<typeof RuleTest>) => {
    const rule = ruleOf(context.state.account, idOf(context))
    const gone = new AbortController()
    context.res.once('close', () => gone.abort())
    const secrets = (timestamp: number) => signingSecrets(rule, timestamp, (sealed) => vault.open(sealed))
    return sendTest(rule, secrets, parts.sender, clock.now(), { signal: gone.signal, isSample: sample === '1' })
  }

  const rotateSecret = async (context: ApiContext, { finish }: z.infer<typeof SecretRotation> = {}) => {
    const how = { finish: finish === true }
    const written = await settled(parts, rotateRuleSecret(parts, occasionOf(context, clock), idOf(context), how))
    return presentRuleSecret(written.rule, vault, clock.now())
  }

  return { listRules, addRule, updateRule, removeRule, testRule, rotateSecret }
}

export const webhookRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { get, post, put, remove } = operations.of('Webhook rules', signedIn)
  const { listRules, addRule, updateRule, removeRule, testRule, rotateSecret } = ruleHandlers(parts)
  const logs = logsOf(parts)
  const showLogs = (context: ApiContext, asked: z.infer<typeof Page>) =>
    logs(context, ruleOf(context.state.account, idOf(context)).rule_id, asked)

  const limit = refuses('WEBHOOK_LIMIT_REACHED')
  get('/api/webhooks', 'List rules', data(z.array(ListedRule)), listRules)
  post('/api/webhooks', 'Create a rule', body(RuleCreation), limit, created(Rule), addRule)
  post(
    '/api/webhooks/bulk-retry',
    'Retry recent failures or filtered transactions in bulk',
    optionalBody(BulkRetry),
    whole(Queued),
    bulkRetry(parts),
  )
  put('/api/webhooks/:id', 'Update a rule', body(RuleChange), data(Rule), updateRule)
  remove('/api/webhooks/:id', 'Delete a rule', noBody, refuses('AUTO_RULE'), message, removeRule)
  post('/api/webhooks/:id/test', 'Send a test payload', noBodyButQuery(RuleTest), whole(TestResult), testRule)
  post(
    '/api/webhooks/:id/secret/rotate',
    'Rotate the secret of a rule, or finish a rotation',
    optionalBody(SecretRotation),
    refuses('CONFLICT'),
    data(RuleSecret),
    rotateSecret,
  )
  get('/api/webhooks/:id/logs', 'List the attempts of a rule', query(Page), whole(Logs), showLogs)
}
