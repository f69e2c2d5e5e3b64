// Tests: tests/unit/domain/account/rules.test.ts
/** Connected systems: a shop's payment prefix, and its changes. */
import type { Account, System } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'
import { refuseOverPlan } from './plan.ts'
import { conflict, invalid, notFound } from './refusals.ts'

/** Banks print these as words of their own. As a prefix, they would match every text. */
const PRINTED_BY_BANKS = new Set([
  'TK', 'SD', 'ND', 'GD', 'CT', 'FT', 'MB', 'VND', 'REF', 'LUC', 'VAO', 'NGAY', 'TAI', 'SO', 'PS',
]) // prettier-ignore

/** @param prefix  in upper case */
export const isPrintedByBanks = (prefix: string): boolean => PRINTED_BY_BANKS.has(prefix)

export type SystemFields = Pick<System, 'name' | 'type' | 'payment_prefix' | 'is_active'>
export type SystemChange = Change<SystemFields>

/** A payment prefix, as people may write it. */
export const PAYMENT_PREFIX = /^[A-Za-z0-9]{2,10}$/

/** The form in which it is stored and compared: upper case. Other letters stay: `ſ` would become the letter `S`. */
export const normalPrefix = (prefix: string): string => prefix.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

/** Prefixes that match. Those of inactive systems do not. */
export const activePrefixes = ({ systems }: Account): string[] =>
  [...systems.values()].filter(({ is_active }) => is_active === 1).map(({ payment_prefix }) => payment_prefix)

/** @param planPrefix  the operator's own prefix, reserved for plan orders */
const refuseUnusablePrefix = (account: Account, prefix: string, planPrefix: string, own?: number): void => {
  const refuse = (message: string) => invalid({ path: 'payment_prefix', message })
  if (!PAYMENT_PREFIX.test(prefix)) throw refuse('A payment prefix is 2 to 10 letters or digits.')
  if (isPrintedByBanks(prefix)) throw refuse('Banks print this word themselves, so it cannot be a payment prefix.')
  if (prefix === normalPrefix(planPrefix)) throw refuse('This prefix is reserved for plan orders.')
  for (const system of account.systems.values()) {
    if (system.payment_prefix === prefix && system.system_id !== own)
      throw conflict('Another connected system has this payment prefix.')
  }
}

export interface AddSystem {
  system_id: number
  fields: SystemFields
  planPrefix: string
  at: Date
}

/**
 * @throws {Refused} SYSTEM_LIMIT_REACHED with the plan and its limit, VALIDATION_FAILED for a prefix that cannot be used,
 *   CONFLICT for one in use
 */
export const addSystem = (account: Account, { system_id, fields, planPrefix, at }: AddSystem): AccountEvent[] => {
  refuseOverPlan(account, 'systems', account.systems.size, at)
  const payment_prefix = normalPrefix(fields.payment_prefix)
  refuseUnusablePrefix(account, payment_prefix, planPrefix)
  const { user_id } = account
  const created_at = at.toISOString()
  return [{ type: 'SystemAdded', data: { ...fields, payment_prefix, user_id, system_id, created_at } }]
}

/** @returns nothing if nothing changes · @throws {Refused} as `addSystem`, NOT_FOUND */
export const changeSystem = (
  account: Account,
  { system_id, change, planPrefix }: { system_id: number; change: SystemChange; planPrefix: string },
): AccountEvent[] => {
  const system = account.systems.get(system_id)
  if (!system) throw notFound('connected system')
  const wanted = {
    ...change,
    payment_prefix: change.payment_prefix === undefined ? undefined : normalPrefix(change.payment_prefix),
  }
  if (wanted.payment_prefix !== undefined && wanted.payment_prefix !== system.payment_prefix)
    refuseUnusablePrefix(account, wanted.payment_prefix, planPrefix, system_id)
  const changed = differing(system, wanted)
  if (changed === null) return []
  return [{ type: 'SystemChanged', data: { ...changed, user_id: account.user_id, system_id } }]
}

/**
 * Removes the system with its automatic rule. It is refused while the user's own rules refer to the system. Without the system,
 * they would fire for every prefix.
 * @throws {Refused} NOT_FOUND, CONFLICT
 */
export const removeSystem = (account: Account, system_id: number): AccountEvent[] => {
  if (!account.systems.has(system_id)) throw notFound('connected system')
  const pointing = [...account.rules.values()].filter((rule) => rule.system_id === system_id)
  if (pointing.some((rule) => rule.is_auto === 0))
    throw conflict('Webhook rules use this system. Change or delete them first.')
  const { user_id } = account
  return [
    ...pointing.map(({ rule_id }): AccountEvent => ({ type: 'RuleDeleted', data: { user_id, rule_id } })),
    { type: 'SystemRemoved', data: { user_id, system_id } },
  ]
}
