// Tests: tests/integration/mail-ingest/failing.test.ts
/**
 * Alerts owners about mailboxes that cannot be read: wrong password, server away, invalid certificate. The alert is raised within five minutes,
 * with one line in the log. It ends when the mailbox works again, or is no longer used. A mailbox that fails and works by turns must work for
 * a while before its second alert of a day ends, as for endpoints (`domain/alert/calm.ts`).
 *
 * A mailbox that Baoco has paused has an alert of its own (`mailbox_paused`, `reactors/raise-alerts.ts`). An alert about it from before lasts.
 */
import { randomUUID } from 'node:crypto'
import { calmNeeded } from '../../domain/alert/calm.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface FailingMailbox {
  user_id: number
  mail_account_id: number
  username: string
  host: string
  /** In one sentence, with what the server said. */
  reason: string
  since: string
}

export interface LastingMailboxAlert {
  user_id: number
  subject: string
  /** Alerts about this mailbox in the last 24 hours, with this one. */
  alerts: number
  is_failing: boolean
  /** Whether the mailbox exists and is switched on. */
  is_used: boolean
  /** By the clock of the database. */
  looked_at: string
}

export interface WatchMailboxesParts {
  failing: (afterSeconds: number) => Promise<FailingMailbox[]>
  lasting: () => Promise<LastingMailboxAlert[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
  log: { warn(fields: object, what: string): void; info(fields: object, what: string): void }
}

const EVERY_FIFTEEN_SECONDS = '*/15 * * * * *'
/** A restarted server or a lost connection is no outage. */
const PATIENCE_S = 60

export const watchMailboxes = ({ failing, lasting, alerts, log }: WatchMailboxesParts): ScheduledJob => {
  /** When a look first found the mailbox of an alert working, by name. */
  let calmSince: ReadonlyMap<string, string> = new Map()

  const run = async (signal: AbortSignal): Promise<{ raised: number; ended: number } | null> => {
    const look = randomUUID()
    const caused = { kind: 'mailbox_failing', causation_id: look, correlation_id: look } as const
    const known = await lasting()
    const isKnown = new Set(known.map(nameOf))
    let raised = 0
    for (const mailbox of await failing(PATIENCE_S)) {
      if (signal.aborted) return null
      const { user_id, mail_account_id, since } = mailbox
      const subject = `mail_account:${mail_account_id}`
      if (isKnown.has(nameOf({ user_id, subject }))) continue
      const alert = { ...caused, user_id, subject, since, text: textOf(mailbox) }
      if (!(await unlessUnreadable(() => alerts.raise(alert)))?.checkpoint) continue
      raised++
      log.warn(
        { user_id, mail_account_id, since, reason: ownWords(mailbox), what_to_do: WHAT_TO_DO },
        'mailbox.failing',
      )
    }
    const calm = known.filter(({ is_failing }) => !is_failing)
    calmSince = new Map(calm.map((alert) => [nameOf(alert), calmSince.get(nameOf(alert)) ?? alert.looked_at]))
    let ended = 0
    for (const alert of calm) {
      if (signal.aborted) return null
      const { user_id, subject, looked_at, is_used } = alert
      const until = calmSince.get(nameOf(alert))!
      // The first alert of a day ends at once.
      const needed = alert.alerts > 1 ? calmNeeded(alert.alerts - 1) : 0
      if (is_used && Date.parse(looked_at) - Date.parse(until) < needed) continue
      if (!(await unlessUnreadable(() => alerts.end({ ...caused, user_id, subject, until })))?.checkpoint) continue
      ended++
      log.info({ user_id, subject, until }, 'mailbox.works_again')
    }
    return raised + ended > 0 ? { raised, ended } : null
  }

  return { name: 'watch_mailboxes', at: EVERY_FIFTEEN_SECONDS, run }
}

const WHAT_TO_DO =
  'Check that the server can be reached and that the password is right (some providers need an app password), then test the mail account.'

const nameOf = ({ user_id, subject }: { user_id: number; subject: string }): string => `${user_id} ${subject}`

/** Without what the server said: the log contains no texts of strangers. */
const ownWords = ({ reason }: FailingMailbox): string => reason.replace(/ It says: .*$/s, '')

const textOf = ({ username, host, reason }: FailingMailbox) =>
  inEach(({ alerts }) => alerts.mailboxFailing(username, host, reason))
