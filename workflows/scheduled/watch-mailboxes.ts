// Tests: tests/unit/workflows/scheduled/watch-mailboxes.test.ts, tests/integration/mail-ingest/failing.test.ts
/**
 * Alerts owners about mailboxes that cannot be read: wrong password, server away, invalid certificate. The alert is raised within five minutes,
 * with one line in the log. It ends when the mailbox works again, or is no longer used. A mailbox that alternately fails and works must work for
 * a while before its second alert of a day ends, as for endpoints (`domain/alert/calm.ts`).
 *
 * A mailbox that Baoco has paused has an alert of its own (`mailbox_paused`, `reactors/raise-alerts.ts`). An earlier alert about it stays.
 */
import { calmNeeded } from '../../domain/alert/calm.ts'
import { mailAccountSubject } from '../alerts/subjects.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { watch, type LastingAlert } from './watch.ts'
import type { LogLines } from '../../domain/ports.ts'

export interface FailingMailbox {
  user_id: number
  mail_account_id: number
  username: string
  host: string
  /** In one sentence, with what the server answered. */
  reason: string
  since: string
}

export interface LastingMailboxAlert extends LastingAlert {
  is_failing: boolean
}

export interface WatchMailboxesParts {
  failing: (afterSeconds: number) => Promise<FailingMailbox[]>
  /** A mailbox is used if it exists and is switched on. */
  lasting: () => Promise<LastingMailboxAlert[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
  log: Pick<LogLines, 'warn' | 'info'>
}

const EVERY_FIFTEEN_SECONDS = '2-59/15 * * * * *'
/** A restarted server or a lost connection is no outage. */
const PATIENCE_S = 60

export const watchMailboxes = ({ failing, lasting, alerts, log }: WatchMailboxesParts): ScheduledJob =>
  watch({
    name: 'watch_mailboxes',
    at: EVERY_FIFTEEN_SECONDS,
    kind: 'mailbox_failing',
    failing: () => failing(PATIENCE_S),
    lasting,
    alerts,
    alertOf: (mailbox) => ({
      user_id: mailbox.user_id,
      subject: mailAccountSubject(mailbox.mail_account_id),
      since: mailbox.since,
      text: textOf(mailbox),
    }),
    isCalm: ({ is_failing }) => !is_failing,
    // The first alert of a day ends at once.
    calmNeeded: (number) => (number > 1 ? calmNeeded(number - 1) : 0),
    onRaised: (mailbox) => {
      const { user_id, mail_account_id, since } = mailbox
      const reason = ownWords(mailbox)
      log.warn({ user_id, mail_account_id, since, reason, what_to_do: WHAT_TO_DO }, 'mailbox.failing')
    },
    onEnded: (ended) => log.info(ended, 'mailbox.works_again'),
  })

const WHAT_TO_DO =
  'Check that the server can be reached and that the password is right (some providers need an app password), then test the mail account.'

/** Without what the server answered: the log contains no texts of strangers. */
const ownWords = ({ reason }: FailingMailbox): string => reason.replace(/ It says: .*$/s, '')

const textOf = ({ username, host, reason }: FailingMailbox) =>
  inEach(({ alerts }) => alerts.mailboxFailing(username, host, reason))
