/**
 * Notifies the operator about streams with events that cannot be read or projected, by a log line and a mail. During an upgrade, a newer release may
 * write thousands of events to one stream, so a stream is named again at most once an hour, and each event once.
 */
import type { Mailer, LogLines } from '../../domain/ports.ts'
import { HOUR_MS } from '../../domain/time.ts'

export interface ParkedNotice {
  stream: string
  revision: number
  type: string
  reason: string
  detail: string
}

interface Parts {
  mailer: Mailer
  adminEmail: string
  log: Pick<LogLines, 'error'>
  onFailure: (error: unknown) => void
  /** Milliseconds of a clock that never goes back. Only tests change it. */
  nowMs?: () => number
}

const AGAIN_AFTER_MS = HOUR_MS
/** Mails of one process. If there are more, the metric and `baoco parked list` have the rest. */
const MOST_MAILS = 10

const textOf = ({ stream, revision, type, reason, detail }: ParkedNotice): string =>
  [
    `The event ${type} at ${stream}@${revision} cannot be used (${reason}): ${detail}.`,
    'Everything else goes on. The later events of this stream wait, and requests that need the stream get 503.',
    'If a newer release wrote the event, update all processes: it is then retried by itself.',
    '`baoco parked list` shows all such events. `baoco parked skip` makes Baoco ignore one for good.',
  ].join('\n')

interface Notified {
  revisions: Set<number>
  at: number
}

export const notifyOperator = ({
  mailer,
  adminEmail,
  log,
  onFailure,
  nowMs = () => performance.now(),
}: Parts): ((notice: ParkedNotice) => void) => {
  const notified = new Map<string, Notified>()
  let mails = 0
  return (notice) => {
    const { stream, revision, type, reason, detail } = notice
    const last = notified.get(stream)
    if (last && (last.revisions.has(revision) || nowMs() - last.at < AGAIN_AFTER_MS)) return
    notified.set(stream, { revisions: new Set(last?.revisions).add(revision), at: nowMs() })
    log.error({ stream, revision, type, reason, detail }, 'stream.parked')
    if (++mails > MOST_MAILS) return
    const mail = { to: adminEmail, subject: `Baoco cannot use an event of ${stream}`, text: textOf(notice) }
    mailer.send({ ...mail, key: `parked ${stream}@${revision}` }).catch(onFailure)
  }
}
