// Tests: tests/integration/parked/serve.test.ts
/**
 * Lists parked streams among the alerts of the operator, until the operator has retried or skipped them. An alert names the stream and the
 * reason, and nothing of the event: it may belong to another account.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../domain/ports.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchParkedParts {
  /** A stream may occur several times. */
  parked: () => Promise<{ stream: string; reason: string }[]>
  /** Subjects of the user's alerts about parked streams that last. */
  lasting: (userId: number) => Promise<string[]>
  /** The operator's account; null while there is none. */
  operator: () => Promise<number | null>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_FIVE_SECONDS = '*/5 * * * * *'
/** Alerts that last at the same time. A release that cannot read a new type of event may park many streams. */
const MOST = 20
/** Characters of a stream's name in the text. Another program may have written it. */
const LONGEST_NAME = 100

export const watchParked = ({ parked, lasting, operator, alerts, clock }: WatchParkedParts): ScheduledJob => ({
  name: 'watch_parked',
  at: EVERY_FIVE_SECONDS,
  run: async () => {
    const user_id = await operator()
    if (user_id === null) return null
    const look = randomUUID()
    const of = (subject: string) =>
      ({ user_id, kind: 'stream_parked', subject, causation_id: look, correlation_id: look }) as const
    const now = clock.now().toISOString()
    const known = await lasting(user_id)
    const reasons = new Map((await parked()).map(({ stream, reason }) => [`stream:${stream}`, { stream, reason }]))
    let ended = 0
    for (const subject of known)
      if (
        !reasons.has(subject) &&
        (await unlessUnreadable(() => alerts.end({ ...of(subject), until: now })))?.checkpoint
      )
        ended++
    const fresh = [...reasons].filter(([subject]) => !known.includes(subject))
    const room = Math.max(0, MOST - (known.length - ended))
    let raised = 0
    for (const [subject, { stream, reason }] of fresh.slice(0, room)) {
      const alert = { ...of(subject), text: textOf(stream, reason), since: now }
      if ((await unlessUnreadable(() => alerts.raise(alert)))?.checkpoint) raised++
    }
    return raised + ended > 0 ? { raised, ended } : null
  },
})

const textOf = (stream: string, reason: string) =>
  inEach(({ alerts }) => alerts.streamParked(stream.slice(0, LONGEST_NAME), reason))
