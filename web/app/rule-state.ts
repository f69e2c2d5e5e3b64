/** How a rule's endpoint is doing, in one word. */
import type { Rule, RuleStats } from '../api/types.ts'

export type RuleState = 'paused' | 'open' | 'failing' | 'quiet' | 'good'

export const failuresOf = ({ attempts, success_rate }: RuleStats): number =>
  attempts - Math.round(attempts * (success_rate ?? 0))

/** Rounded down, so that 100 means all. */
export const percent = (rate: number | null): string => `${Math.floor(Number(((rate ?? 0) * 100).toFixed(6)))}%`

/** @param stats  of the last 24 hours; undefined while they are not known @returns null if they must be known for it */
export const ruleState = ({ is_active, health }: Rule, stats: RuleStats | undefined): RuleState | null => {
  if (is_active === 0) return 'paused'
  if (health?.breaker === 'open') return 'open'
  if (stats?.attempts === 0) return 'quiet'
  if ((health?.failures_in_a_row ?? 0) > 0 || stats?.success_rate === 0) return 'failing'
  return stats ? 'good' : null
}
