/** Webhook rules: which values their owner may set, and when (interface, sections 2.3 and 4.3). */
import { bankMeantBy } from '../banks/directory.ts'
import { Refused } from '../errors.ts'
import { templateProblem } from '../webhook/payload/custom.ts'
import type { Account, Rule } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'
import { refuseOverPlan } from './plan.ts'
import { invalid, notFound } from './refusals.ts'

type Optional = 'max_per_minute' | 'ordered'
type Kept = 'rule_id' | 'sealed_secret' | 'sealed_previous' | 'previous_until' | 'is_auto' | 'created_at'
export type RuleFields = Omit<Rule, Kept | Optional> & Partial<Pick<Rule, Optional>>
export type RuleChange = Change<RuleFields>

/** Why a format cannot be used with its template. Null if it can. */
export const templateRefusal = ({
  payload_format,
  custom_template,
}: Pick<RuleFields, 'payload_format' | 'custom_template'>): Refused | null => {
  if (payload_format !== 'custom') return null
  if (custom_template === null)
    return invalid({ path: 'custom_template', message: 'The custom format requires a template.' })
  const problem = templateProblem(custom_template)
  return problem === null
    ? null
    : invalid({ path: 'custom_template', message: `The template cannot be used: ${problem}.` })
}

/**
 * Checks that depend on more than one field, or on the account.
 * @param change  what is changed. A template that does not change was accepted before, perhaps by other rules, and its webhook can still be paused.
 */
const refuseContradictions = (account: Account, rule: RuleFields, change: Partial<RuleFields> = rule): void => {
  if (rule.system_id !== null && !account.systems.has(rule.system_id))
    throw invalid({ path: 'system_id', message: 'The connected system does not exist.' })
  const isNew = change.custom_template !== undefined || change.payload_format !== undefined
  const refusal = isNew ? templateRefusal(rule) : null
  if (refusal) throw refusal
}

/**
 * The name of a bank as a code would match no transaction. Other unknown codes may be of banks that a later release knows.
 * @param had  codes that were accepted before
 */
const refuseBankNames = (codes: readonly string[], had: readonly string[] = []): void => {
  for (const [index, code] of codes.entries()) {
    const bank = had.includes(code) ? null : bankMeantBy(code)
    if (bank === null) continue
    const message = `${code} is not a code. The code of ${bank.name} is ${bank.code}.`
    throw invalid({ path: `filter_banks.${index}`, message })
  }
}

export interface CreateRule {
  rule_id: number
  fields: RuleFields
  /** 48 hexadecimal characters, sealed. */
  sealed_secret: string
  at: Date
}

/** @throws {Refused} WEBHOOK_LIMIT_REACHED with the plan and its limit, VALIDATION_FAILED */
export const createRule = (account: Account, { rule_id, fields, sealed_secret, at }: CreateRule): AccountEvent[] => {
  refuseOverPlan(account, 'rules', account.rules.size, at)
  refuseContradictions(account, fields)
  refuseBankNames(fields.filter_banks)
  const { user_id } = account
  return [
    {
      type: 'RuleCreated',
      data: { ...fields, user_id, rule_id, sealed_secret, is_auto: 0, created_at: at.toISOString() },
    },
  ]
}

/** @throws {Refused} NOT_FOUND */
export const ruleOf = ({ rules }: Account, ruleId: number): Rule => {
  const rule = rules.get(ruleId)
  if (!rule) throw notFound('webhook rule')
  return rule
}

/** @returns nothing if nothing changes · @throws {Refused} NOT_FOUND, VALIDATION_FAILED */
export const changeRule = (
  account: Account,
  { rule_id, change }: { rule_id: number; change: RuleChange },
): AccountEvent[] => {
  const rule = ruleOf(account, rule_id)
  const changed = differing<RuleFields>(rule, change)
  if (changed === null) return []
  // It is found and deleted by its system (`connectionOf`, `removeSystem`).
  if (rule.is_auto === 1 && changed.system_id !== undefined)
    throw invalid({ path: 'system_id', message: 'This rule belongs to a connected shop, so its system stays.' })
  refuseContradictions(account, { ...rule, ...changed }, changed)
  refuseBankNames(changed.filter_banks ?? [], rule.filter_banks)
  return [{ type: 'RuleChanged', data: { ...changed, user_id: account.user_id, rule_id } }]
}

/** @throws {Refused} NOT_FOUND, or AUTO_RULE for a rule that a shop plugin's connection created */
export const deleteRule = (account: Account, rule_id: number): AccountEvent[] => {
  if (ruleOf(account, rule_id).is_auto === 1)
    throw new Refused('AUTO_RULE', 'This rule belongs to a connected shop. Delete the connected system instead.')
  return [{ type: 'RuleDeleted', data: { user_id: account.user_id, rule_id } }]
}
