// Tests: tests/integration/parked/serve.test.ts
/**
 * Lists parked streams among the alerts of the operator, until the operator has retried or skipped them. An alert names the stream and the
 * reason, and nothing of the event: it may belong to another account.
 */
import { inEach } from '../texts/texts.ts'
import { operatorWatch, type OperatorWatchParts } from './operator-watch.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface WatchParkedParts extends OperatorWatchParts {
  /** A stream may occur several times. */
  parked: () => Promise<{ stream: string; reason: string }[]>
}

const EVERY_FIVE_SECONDS = '1-59/5 * * * * *'
/** Alerts that last at the same time. A release that cannot read a new type of event may park many streams. */
const MOST = 20
/** Characters of a stream's name in the text. Another program may have written it. */
const LONGEST_NAME = 100

export const watchParked = ({ parked, ...parts }: WatchParkedParts): ScheduledJob => ({
  name: 'watch_parked',
  at: EVERY_FIVE_SECONDS,
  run: operatorWatch(parts, 'stream_parked', async ({ lasting, raise, end }) => {
    const reasons = new Map((await parked()).map(({ stream, reason }) => [`stream:${stream}`, { stream, reason }]))
    let room = MOST - lasting.length
    for (const subject of lasting) if (!reasons.has(subject) && (await end(subject))) room++
    const fresh = [...reasons].filter(([subject]) => !lasting.includes(subject))
    for (const [subject, { stream, reason }] of fresh.slice(0, Math.max(0, room)))
      await raise(subject, textOf(stream, reason))
  }),
})

const textOf = (stream: string, reason: string) =>
  inEach(({ alerts }) => alerts.streamParked(stream.slice(0, LONGEST_NAME), reason))
