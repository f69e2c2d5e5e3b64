// Tests: tests/integration/http/endpoint-alerts.test.ts
/**
 * Alerts owners about rules whose endpoint answers, but has refused every call for a while: a firewall, a plugin that is off, a redirect. The
 * calls go on by their schedule. The alert ends a while after a call was accepted (`domain/alert/calm.ts`), if not all of the last ones are refused
 * again.
 */
import { calmNeeded } from '../../domain/alert/calm.ts'
import { FAILURES_TO_OPEN } from '../../domain/webhook/endpoint.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { ruleSubject } from '../alerts/subjects.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { watch, type LastingAlert } from './watch.ts'

export interface RefusedRule {
  user_id: number
  rule_id: number
  name: string
  /** Of the newest answer. */
  http_status: number
  /** The time of that answer. The first one may be days old, and no mail is sent about what is so old. */
  since: string
}

export interface LastingRefusal extends LastingAlert {
  /** None of the last ten calls was accepted. Some may have had no answer. */
  is_refused: boolean
}

export interface WatchRefusalsParts {
  /** Those without an alert that lasts. */
  refused: () => Promise<RefusedRule[]>
  lasting: () => Promise<LastingRefusal[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
}

/** It reads one row of every rule: more than a second of the database with 200,000 rules. */
const EVERY_FIVE_MINUTES = '40 2-59/5 * * * *'

export const watchRefusals = ({ refused, lasting, alerts }: WatchRefusalsParts): ScheduledJob =>
  watch({
    name: 'watch_refusals',
    at: EVERY_FIVE_MINUTES,
    kind: 'endpoint_failing',
    failing: refused,
    lasting,
    alerts,
    alertOf: ({ user_id, rule_id, name, http_status, since }) => ({
      user_id,
      subject: ruleSubject(rule_id),
      since,
      text: inEach((texts) => texts.alerts.ruleRefused(rule_id, name, FAILURES_TO_OPEN, http_status)),
    }),
    isCalm: ({ is_refused }) => !is_refused,
    calmNeeded,
  })
