/** An account's own things as the API shows them (interface, sections 2.3 and 2.4). */
import type { Account, Rule, System } from '../../../domain/account/account.ts'
import { PLAN_LIMITS, planAt } from '../../../domain/account/plan.ts'
import type { Vault } from '../../../domain/ports.ts'

/** @param used  transactions of this month that count in the quota */
export const presentAccount = (account: Account, used: number, now: Date) => {
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

export const presentSystem = ({ system_id, name, type, payment_prefix, is_active, created_at }: System) => ({
  id: system_id,
  name,
  type,
  payment_prefix,
  is_active,
  created_at,
})

/** With its secret_key: only its owner gets here. */
export const presentRule =
  (userId: number, systems: ReadonlyMap<number, { name: string }>, vault: Vault) =>
  ({ rule_id, sealed_secret, system_id, is_active, is_auto, created_at, ...rule }: Rule) => ({
    id: rule_id,
    user_id: userId,
    system_id,
    system_name: system_id === null ? '' : (systems.get(system_id)?.name ?? ''),
    ...rule,
    secret_key: vault.open(sealed_secret),
    is_active,
    is_auto,
    created_at,
  })

/** The personal URL. */
export const presentReceiveUrl = (baseUrl: string, token: string) => ({ url: `${baseUrl}/api/receive/u/${token}` })
