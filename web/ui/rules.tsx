// Tests: tests/e2e/browser/dashboard.test.ts
/** The parts that the screens of webhooks share. */
import { useQuery } from '@tanstack/preact-query'
import { getData, postData } from '../api/client.ts'
import type { Rule, RuleStats, System } from '../api/types.ts'
import { texts } from '../app/language.ts'
import type { RuleState } from '../app/rule-state.ts'
import { StatusText } from './basics.tsx'

export const useRules = () => useQuery({ queryKey: ['webhooks'], queryFn: () => getData<Rule[]>('/api/webhooks') })

/** Statistics of rules in the last 24 hours. */
export const useRuleStats = () =>
  useQuery({ queryKey: ['webhooks', 'stats'], queryFn: () => getData<RuleStats[]>('/api/stats/rules', { hours: 24 }) })

export const useSystems = () => useQuery({ queryKey: ['systems'], queryFn: () => getData<System[]>('/api/systems') })

/** Why nothing is sent to it now, also not by a retry. @returns null if nothing is known */
export const hindrance = ({ is_active, health }: Rule, status: 'pending' | 'failed'): string | null => {
  const t = texts.value.undelivered
  if (is_active === 0) return t.paused
  return status === 'pending' && health?.breaker === 'open' ? t.cutOff : null
}

export type Format = Pick<Rule, 'payload_format' | 'custom_template'>

/** The body that a rule would send for the sample payment. */
export const usePreview = (format: Format) =>
  useQuery({
    queryKey: ['preview', format],
    queryFn: async () => (await postData<{ body: string }>('/api/webhooks/preview', format)).body,
    staleTime: 60_000,
  })

const KINDS = { good: 'success', quiet: 'neutral', failing: 'pending', open: 'failed', paused: 'neutral' } as const

export const RuleStateMark = ({ of }: { of: RuleState | null }) =>
  of && <StatusText kind={KINDS[of]} shape={of === 'paused' ? '–' : undefined} text={texts.value.webhooks.state[of]} />
