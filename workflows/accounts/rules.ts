// Tests: tests/integration/http/webhooks.test.ts
/** Commands on webhook rules (interface, section 4.3): load → decide → append. */
import type { Rule } from '../../domain/account/account.ts'
import { invalid } from '../../domain/account/refusals.ts'
import * as decide from '../../domain/account/rules.ts'
import { finishRotation, rotateSecret } from '../../domain/account/secret-rotation.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { newRuleSecret } from './secrets.ts'
import { nextId } from '../support/next-id.ts'

type RuleParts = Pick<AccountParts, 'accounts' | 'ids' | 'vault' | 'urlProblem'>

const refuseUrl = ({ urlProblem }: RuleParts, url: string | undefined): void => {
  const problem = url === undefined ? null : urlProblem(url)
  if (problem !== null) throw invalid({ path: 'url', message: `The URL ${problem}.` })
}

export interface WrittenRule {
  rule: Rule
  systems: ReadonlyMap<number, { name: string }>
  checkpoint: Checkpoint | null
}

/** @throws {Refused} WEBHOOK_LIMIT_REACHED, VALIDATION_FAILED · {StoreUnavailable} */
export const createRule = async (
  parts: RuleParts,
  occasion: OwnersOccasion,
  fields: decide.RuleFields,
): Promise<WrittenRule> => {
  refuseUrl(parts, fields.url)
  const { accounts, ids, vault } = parts
  const rule_id = await nextId(ids)
  const sealed_secret = vault.seal(newRuleSecret())
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.createRule(account, { rule_id, fields, sealed_secret, at: occasion.at }),
  )
  return { rule: account.rules.get(rule_id)!, systems: account.systems, checkpoint }
}

/** @throws {Refused} NOT_FOUND, VALIDATION_FAILED · {StoreUnavailable} */
export const changeRule = async (
  parts: RuleParts,
  occasion: OwnersOccasion,
  rule_id: number,
  change: decide.RuleChange,
): Promise<WrittenRule> => {
  const { account, checkpoint } = await parts.accounts.change(occasion, (account) => {
    // One that was allowed when it was saved must not stop other changes.
    if (change.url !== account.rules.get(rule_id)?.url) refuseUrl(parts, change.url)
    return decide.changeRule(account, { rule_id, change })
  })
  return { rule: account.rules.get(rule_id)!, systems: account.systems, checkpoint }
}

/**
 * Gives a rule a new secret, or ends the period in which both secrets sign.
 * @throws {Refused} NOT_FOUND, CONFLICT · {StoreUnavailable}
 */
export const rotateRuleSecret = async (
  { accounts, vault }: RuleParts,
  occasion: OwnersOccasion,
  rule_id: number,
  { finish }: { finish: boolean },
): Promise<WrittenRule> => {
  const { at } = occasion
  const sealed_secret = vault.seal(newRuleSecret())
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    finish ? finishRotation(account, { rule_id, at }) : rotateSecret(account, { rule_id, sealed_secret, at }),
  )
  return { rule: account.rules.get(rule_id)!, systems: account.systems, checkpoint }
}
