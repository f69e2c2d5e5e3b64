// Tests: tests/integration/http/accounts.test.ts
/** Presents an account and its resources in the API's format (interface, sections 2.3 and 2.4). */
import { z } from 'zod'
import type {
  Account as AccountState,
  Rule as RuleState,
  System as SystemState,
} from '../../../../domain/account/account.ts'
import { plan, ruleFields, systemFields } from '../../../../domain/account/events.ts'
import { PLAN_LIMITS, planAt } from '../../../../domain/account/plan.ts'
import { previousUntil } from '../../../../domain/webhook/secrets.ts'
import type { Vault } from '../../../../domain/ports.ts'
import { trustsSmsAppTitles } from '../../../../domain/account/sms-app-titles.ts'
import { secret } from '../../openapi/secrets.ts'
import type { LastSeen } from '../../../../projections/account/last-seen-queries.ts'
import { lastSeenFields } from './last-seen.ts'

const id = z.int().positive()
const moment = z.iso.datetime()

export const Account = z
  .strictObject({
    id,
    email: z.string(),
    name: z.string().nullable(),
    email_verified: z.boolean(),
    plan,
    plan_expires_at: moment.nullable(),
    usage: z.strictObject({
      transactions: z.int().min(0).meta({ description: 'In the current month, Vietnam time.' }),
      limit: z.int().min(0).nullable().meta({ description: 'null means unlimited.' }),
    }),
  })
  .meta({ id: 'Account' })

/** @param used  transactions of this month that count towards the quota */
export const presentAccount = (account: AccountState, used: number, now: Date): z.output<typeof Account> => {
  const plan = planAt(account, now)
  return {
    id: account.user_id,
    email: account.email,
    name: account.name,
    email_verified: account.verified,
    plan,
    plan_expires_at: plan === account.plan ? account.plan_expires_at : null,
    usage: { transactions: used, limit: PLAN_LIMITS[plan].transactions },
  }
}

export const System = z.strictObject({ id, ...systemFields.shape, created_at: moment }).meta({ id: 'System' })

export const presentSystem = ({
  system_id,
  name,
  type,
  payment_prefix,
  is_active,
  created_at,
}: SystemState): z.output<typeof System> => ({
  id: system_id,
  name,
  type,
  payment_prefix,
  is_active,
  created_at,
})

const SecretKeyText = z.string().regex(/^[0-9a-f]{48}$/)
const SecretKey = secret(SecretKeyText)
const PreviousUntil = moment.nullable().meta({
  description: 'Calls are also signed with the previous secret until then. null if no rotation is in progress.',
})

/** The only function that shows a signing secret. It is reached only by the secret's owner. */
const presentSecret = (sealed: string, vault: Vault): string => vault.open(sealed)

/** The response of a rotation. */
export const RuleSecret = z
  .strictObject({ secret_key: SecretKey, previous_until: PreviousUntil })
  .meta({ id: 'RuleSecret' })

/** @param now  decides whether a rotation is in progress */
export const presentRuleSecret = (rule: RuleState, vault: Vault, now: Date): z.output<typeof RuleSecret> => ({
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
    secret_key: SecretKey,
    previous_until: PreviousUntil,
    is_auto: z.union([z.literal(0), z.literal(1)]),
    created_at: moment,
  })
  .meta({ id: 'Rule' })

/** A rule in the list also shows the health of its endpoint. */
export const ListedRule = Rule.extend({
  health: z
    .strictObject({
      breaker: z
        .enum(['closed', 'open'])
        .meta({ description: '`open`: the endpoint gets only a probe every 30 seconds.' }),
      failures_in_a_row: z.int().min(0),
      open_since: moment.nullable(),
      next_probe_at: moment.nullable(),
      not_before: moment.nullable().meta({ description: 'The endpoint asked for no calls until then (Retry-After).' }),
    })
    .meta({ id: 'EndpointHealth' }),
}).meta({ id: 'ListedRule' })

/** The address to which alerts are sent in addition to the e-mail, and the secret that signs these calls. */
export const AlertSettings = z
  .strictObject({
    webhook_url: z.string().nullable(),
    secret_key: secret(SecretKeyText, 'null without an address, or until the address is set again;'),
  })
  .meta({ id: 'AlertSettings' })

export const presentAlertSettings = (
  { alert_webhook_url, alert_sealed_secret }: AccountState,
  vault: Vault,
): z.output<typeof AlertSettings> => ({
  webhook_url: alert_webhook_url,
  secret_key: alert_sealed_secret === null ? null : presentSecret(alert_sealed_secret, vault),
})

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

export const TRUST_SMS_APP_TITLES = {
  description:
    'Whether the title of an SMS app’s push counts as the sender. It may be a stranger’s profile name, or the name of a group.',
}

export const ReceiveUrl = z
  .strictObject({
    url: secret(z.url()),
    trust_sms_app_titles: z.boolean().meta(TRUST_SMS_APP_TITLES),
    ...lastSeenFields,
  })
  .meta({ id: 'ReceiveUrl' })

/** The personal URL. */
export const presentReceiveUrl = (
  baseUrl: string,
  token: string,
  account: AccountState,
  heard: LastSeen,
): z.output<typeof ReceiveUrl> => ({
  url: `${baseUrl}/api/receive/u/${token}`,
  trust_sms_app_titles: trustsSmsAppTitles(account, null),
  ...heard,
})
