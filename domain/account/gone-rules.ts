// Tests: tests/integration/reactors/reactors.test.ts
/**
 * Decides whether a rule is paused because its endpoint answered 410. A change that the owner made after that answer is kept, and one answer pauses
 * a rule once. An answer from a url that the rule no longer has pauses nothing: the call may have begun before the change.
 */
import type { KnownEvent } from '../catalogue.ts'
import type { AccountEventData } from './events.ts'

export interface RuleActivity {
  /** Active rules, and since when: ISO 8601. */
  activeSince: ReadonlyMap<number, string>
  urls: ReadonlyMap<number, string>
  /** Ids of events that paused a rule. */
  causes: ReadonlySet<string>
}

export const NO_RULES: RuleActivity = { activeSince: new Map(), urls: new Map(), causes: new Set() }

export const evolve = (rules: RuleActivity, event: KnownEvent<keyof AccountEventData>): RuleActivity => {
  const { type, data } = event
  const activeSince = new Map(rules.activeSince)
  const urls = new Map(rules.urls)
  if (type === 'RuleCreated' || type === 'RuleChanged') {
    if (data.url !== undefined) urls.set(data.rule_id, data.url)
    if (data.is_active === 1) activeSince.set(data.rule_id, event.metadata.at)
    if (data.is_active === 0) activeSince.delete(data.rule_id)
    return { ...rules, activeSince, urls }
  }
  if (type === 'RuleDeleted' || type === 'RulePaused') {
    activeSince.delete(data.rule_id)
    if (type === 'RuleDeleted') urls.delete(data.rule_id)
    return {
      activeSince,
      urls,
      causes: type === 'RulePaused' ? new Set(rules.causes).add(data.caused_by) : rules.causes,
    }
  }
  return rules
}

/** @param gone  the answer: its event's id, when it came (ISO 8601), and the url that was called, null if it is not known */
export const pauseGone = (
  { activeSince, urls, causes }: RuleActivity,
  gone: { user_id: number; rule_id: number; id: string; at: string; url: string | null },
): readonly { type: 'RulePaused'; data: AccountEventData['RulePaused'] }[] => {
  const { user_id, rule_id, id, at, url } = gone
  const since = activeSince.get(rule_id)
  if (since === undefined || since > at || causes.has(id)) return []
  if (url !== null && url !== urls.get(rule_id)) return []
  return [{ type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: id } }]
}
