// Tests: tests/integration/parked/serve.test.ts
/** Tells the operator of events that cannot be read or projected: a log line and a mail for each, once. */
import type { Mailer } from '../../domain/ports.ts'

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
  log: { error(fields: object, what: string): void }
  onFailure: (error: unknown) => void
}

/** Mails of one process. If there are more, the metric and `baoco parked list` have the rest. */
const MOST_MAILS = 10

const textOf = ({ stream, revision, type, reason, detail }: ParkedNotice): string =>
  [
    `The event ${type} at ${stream}@${revision} cannot be used (${reason}): ${detail}.`,
    'Everything else goes on. What follows it in this stream waits, and requests that need the stream answer 503.',
    'If a newer release wrote the event, update all processes: it is then retried by itself.',
    '`baoco parked list` shows all such events. `baoco parked skip` makes Baoco ignore one for good.',
  ].join('\n')

export const notifyOperator = ({ mailer, adminEmail, log, onFailure }: Parts): ((notice: ParkedNotice) => void) => {
  const told = new Set<string>()
  return (notice) => {
    const { stream, revision, type, reason, detail } = notice
    const name = `${stream}@${revision}`
    if (told.has(name)) return
    told.add(name)
    log.error({ stream, revision, type, reason, detail }, 'stream.parked')
    if (told.size > MOST_MAILS) return
    const mail = { to: adminEmail, subject: `Baoco cannot use an event of ${stream}`, text: textOf(notice) }
    mailer.send({ ...mail, key: `parked ${name}` }).catch(onFailure)
  }
}
