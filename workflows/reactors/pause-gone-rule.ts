/**
 * An endpoint that answers 410 is gone for good: its rule pauses until its owner sets it active again. What the owner did
 * after that answer stands, and so does an answer that was met before.
 */
import { accountStream, type AccountEvent } from '../../domain/account/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import { execute } from '../support/execute.ts'
import { FoldCache, type Fold } from '../support/fold-cache.ts'
import { reaction, type Reaction } from './reactor.ts'

interface Rules {
  /** Active rules, and since when: ISO 8601. */
  activeSince: ReadonlyMap<number, string>
  /** Events that paused a rule. */
  causes: ReadonlySet<string>
}

const evolve = (rules: Rules, recorded: RecordedEvent): Rules => {
  const { type, data } = recorded as RecordedEvent & AccountEvent
  const activeSince = new Map(rules.activeSince)
  if (type === 'RuleCreated' || type === 'RuleChanged') {
    if (data.is_active === 1) activeSince.set(data.rule_id, recorded.metadata.at)
    if (data.is_active === 0) activeSince.delete(data.rule_id)
    return { ...rules, activeSince }
  }
  if (type === 'RuleDeleted') {
    activeSince.delete(data.rule_id)
    return { ...rules, activeSince }
  }
  if (type === 'RulePaused') {
    activeSince.delete(data.rule_id)
    return { activeSince, causes: new Set(rules.causes).add(data.caused_by) }
  }
  return rules
}

const fold: Fold<Rules> = {
  stream: (user) => accountStream(Number(user)),
  initial: { activeSince: new Map(), causes: new Set() },
  evolve,
}

/** Accounts whose rules are remembered: who has one endpoint gone often has many deliveries to it. */
const REMEMBERED = 100

export const pauseGoneRule = (store: EventStore, clock: Clock): Reaction => {
  const cache = new FoldCache(fold, REMEMBERED)
  return reaction('pause_gone_rule', ['transaction-'], {
    DeliveryEnded: async ({ id, data: { rule_id, reason }, metadata: { user_id, at, correlation_id } }) => {
      if (reason !== 'gone' || user_id === null) return
      const occasion = { user_id, at: clock.now(), correlation_id, causation_id: id }
      await execute(store, cache, String(user_id), occasion, ({ state: { activeSince, causes } }) => {
        const since = activeSince.get(rule_id)
        if (since === undefined || since > at || causes.has(id)) return []
        return [{ type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: id } }]
      })
    },
  })
}
