// Tests: tests/integration/http/shop-plugins.test.ts
/**
 * Connects a shop's plugin. It creates a system with the shop's prefix, and the automatic rule that calls the shop. Both are created
 * together or not at all. If the same shop connects again with the same prefix, it gets the same system, rule and secret, and
 * updates its address.
 */
import type { Account, Rule, System } from './state.ts'
import { evolve } from './account.ts'
import type { AccountEvent } from './events.ts'
import { previousUntil } from '../webhook/secrets.ts'
import { changeRule, createRule, type RuleFields } from './rules.ts'
import { finishRotation } from './secret-rotation.ts'
import { addSystem, changeSystem, normalPrefix } from './systems.ts'

export interface ShopConnection {
  type: System['type']
  /** In the form of `normalSite`. */
  site_url: string
  webhook_url: string
  payment_prefix: string
}

export interface ConnectShop extends ShopConnection {
  /** Ids and secret for newly created objects. */
  system_id: number
  rule_id: number
  sealed_secret: string
  planPrefix: string
  at: Date
}

/** The form of a shop's address for comparison: without anything after the path, and without a slash at its end. */
export const normalSite = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** The objects that a site has connected with a prefix. Null if there are none. */
export const connectionOf = (
  { systems, rules }: Account,
  { site_url, payment_prefix }: Pick<ShopConnection, 'site_url' | 'payment_prefix'>,
): { system: System; rule: Rule } | null => {
  const prefix = normalPrefix(payment_prefix)
  const system = [...systems.values()].find((each) => each.site_url === site_url && each.payment_prefix === prefix)
  const rule = system && [...rules.values()].find((each) => each.system_id === system.system_id && each.is_auto === 1)
  return rule ? { system: system!, rule } : null
}

/** The WooCommerce plugin uses its own format. */
const formatOf = (type: System['type']): RuleFields['payload_format'] =>
  type === 'woocommerce' ? 'woocommerce' : 'standard'

/** @throws {Refused} WEBHOOK_LIMIT_REACHED; SYSTEM_LIMIT_REACHED, VALIDATION_FAILED and CONFLICT as `addSystem` */
export const connectShop = (account: Account, wanted: ConnectShop): AccountEvent[] => {
  const { type, site_url, webhook_url: url, payment_prefix, system_id, rule_id, planPrefix, at, sealed_secret } = wanted
  const known = connectionOf(account, wanted)
  if (known)
    return [
      ...changeSystem(account, { system_id: known.system.system_id, change: { type }, planPrefix }),
      ...changeRule(account, {
        rule_id: known.rule.rule_id,
        change: { url, ...(type === known.system.type ? {} : { payload_format: formatOf(type) }) },
      }),
      // The response contains the newest secret, so the plugin verifies with that one from now on.
      ...(previousUntil(known.rule, at.getTime()) === null
        ? []
        : finishRotation(account, { rule_id: known.rule.rule_id, at })),
    ]
  const name = new URL(site_url).host.slice(0, 100)
  const system: System = { system_id, name, type, payment_prefix, is_active: 1, created_at: at.toISOString() }
  const added = addSystem(account, { system_id, fields: system, planPrefix, at }).map((event): AccountEvent =>
    event.type === 'SystemAdded' ? { ...event, data: { ...event.data, site_url } } : event,
  )
  const withSystem = added.reduce<Account | null>(evolve, account)!
  const fields: RuleFields = {
    name, url, system_id, http_method: 'POST', filter_banks: [], filter_type: 'credit', min_amount: null,
    payload_format: formatOf(type), custom_template: null, is_active: 1,
  } // prettier-ignore
  const created = createRule(withSystem, { rule_id, fields, sealed_secret, at }).map((event): AccountEvent =>
    event.type === 'RuleCreated' ? { ...event, data: { ...event.data, is_auto: 1 } } : event,
  )
  return [...added, ...created]
}
