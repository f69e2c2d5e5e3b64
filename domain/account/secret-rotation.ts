// Tests: tests/attack/secret-rotation.test.ts
/** Replaces a rule's secret. For a time both secrets sign (decision "Secret rotation"). */
import { BOTH_SIGN_FOR, previousUntil } from '../webhook/secrets.ts'
import type { Account } from './state.ts'
import type { AccountEvent } from './events.ts'
import { conflict } from './refusals.ts'
import { ruleOf } from './rules.ts'

/** @throws {Refused} NOT_FOUND, or CONFLICT while the previous secret signs */
export const rotateSecret = (
  account: Account,
  { rule_id, sealed_secret, at }: { rule_id: number; sealed_secret: string; at: Date },
): AccountEvent[] => {
  const rule = ruleOf(account, rule_id)
  const until = previousUntil(rule, at.getTime())
  if (until !== null)
    throw conflict(`A rotation is in progress until ${until}. Finish it with {"finish":true} before you rotate again.`)
  const previous_until = new Date(at.getTime() + BOTH_SIGN_FOR).toISOString()
  const { user_id } = account
  const data = { user_id, rule_id, sealed_secret, sealed_previous: rule.sealed_secret, previous_until }
  return [{ type: 'RuleSecretRotated', data }]
}

/** The previous secret no longer signs. @throws {Refused} NOT_FOUND, or CONFLICT if no rotation is in progress */
export const finishRotation = (account: Account, { rule_id, at }: { rule_id: number; at: Date }): AccountEvent[] => {
  if (previousUntil(ruleOf(account, rule_id), at.getTime()) === null)
    throw conflict('No rotation is in progress. Call without {"finish":true} to rotate the secret.')
  return [{ type: 'RuleSecretRotationFinished', data: { user_id: account.user_id, rule_id } }]
}
