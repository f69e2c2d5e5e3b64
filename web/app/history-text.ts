/** The texts of a line of a transaction's history beside its title. Empty if there is none. */
import type { HistoryLine } from '../api/types.ts'
import type { Messages } from '../texts/vi.ts'
import { errorCode, errorText } from './error-text.ts'

/** Why the order id is taken for one. Empty if the line says nothing about it. */
export const orderText = (
  { facts: { prefix } }: HistoryLine,
  { transaction: { history: t } }: Pick<Messages, 'transaction'>,
): string => (prefix === undefined ? '' : prefix === null ? t.noPrefix : t.prefix(prefix))

/** @param nameOf  of a rule */
export const historyText = (
  { facts }: HistoryLine,
  { transaction, common }: Pick<Messages, 'transaction' | 'common'>,
  nameOf: (rule: number) => string,
): string => {
  const { history: t, errors } = transaction
  const { rules = [], attempt, error, why } = facts
  const names = rules.map(nameOf).join(', ')
  const outcome = (failure: string | null): string => {
    if (failure === null) return common.status.success
    const code = errorCode(errors, failure)
    return errorText(errors, failure)[0] + (code && ` (${code})`)
  }
  if (facts.status) return common.status[facts.status]
  if (attempt !== undefined) return t.attempt(names, attempt, outcome(error ?? null))
  if (why) return [t.why[why], facts.by === 'bulk' && t.bulk, names].filter(Boolean).join(', ')
  if (facts.copy_of !== undefined)
    return [t.copy(facts.copy_of), facts.came_back && t.cameBack].filter(Boolean).join('. ')
  if (facts.held) return t.held[facts.held]
  if (facts.came_back) return t.cameBack
  return facts.rules ? names || t.nobody : ''
}
