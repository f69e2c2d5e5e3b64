// Tests: tests/integration/http/alerts.test.ts
/**
 * Alerts about single transactions: copies that contradict each other (T4), and old notifications that were not sent
 * (T5).
 */
import type { RecordedEvent } from '../../domain/event.ts'
import { pathOfSource } from '../../domain/arrival/origin.ts'
import type { Alerts, Cause } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

/** How long the alerts last, milliseconds. Until then, no second alert is raised for the same subject. */
const CONTRADICTING_FOR_MS = 7 * 86_400_000
const OLD_FOR_MS = 86_400_000

/**
 * Turns `device-7:sms` into the subject of an alert: `device:7`. So a restored inbox with hundreds of texts gives one
 * alert about its phone.
 */
const subjectOf = (source: string): string => {
  const [kind, id] = pathOfSource(source).split('-')
  if (id === undefined) return 'receive_url'
  return kind === 'mailbox' ? `mail_account:${id}` : `${kind}:${id}`
}

export const raiseTransactionAlerts = (alerts: Pick<Alerts, 'raise'>): Reactor => {
  const raise = async (
    { id, metadata }: RecordedEvent,
    cause: Pick<Cause, 'user_id' | 'kind' | 'subject' | 'text'>,
    lastsMs: number,
  ): Promise<void> => {
    const ends_at = new Date(Date.parse(metadata.at) + lastsMs).toISOString()
    const since = metadata.at
    await alerts.raise({ ...cause, since, ends_at, causation_id: id, correlation_id: metadata.correlation_id })
  }

  const raiseOld = (event: RecordedEvent, user_id: number, transactionId: number, subject: string) =>
    raise(
      event,
      {
        user_id,
        kind: 'old_notification',
        subject,
        text: inEach(({ alerts }) => alerts.old(transactionId)),
      },
      OLD_FOR_MS,
    )

  return reactor('raise_transaction_alerts', ['transaction-'], {
    TransactionCaptured: (event) => {
      const { user_id, transaction_id, already_run_of, order_id, contradicts, held, webhook_status, source } =
        event.data
      if (contradicts !== undefined && already_run_of !== null) {
        const text = inEach(({ alerts }) =>
          alerts.contradicting(already_run_of, transaction_id, contradicts, order_id ?? ''),
        )
        const subject = `transaction:${already_run_of}`
        return raise(event, { user_id, kind: 'contradicting_copy', subject, text }, CONTRADICTING_FOR_MS)
      }
      // A transaction without an order id would not have been sent anyway.
      if (held === 'old_notification' && webhook_status === 'no_match')
        return raiseOld(event, user_id, transaction_id, subjectOf(source))
      return 'nothing'
    },
    /** The copy that brought the order id is old itself. */
    TransactionCompleted: (event) => {
      const { transaction_id, held } = event.data
      const { user_id } = event.metadata
      if (held !== 'old_notification' || user_id === null) return 'nothing'
      return raiseOld(event, user_id, transaction_id, `transaction:${transaction_id}`)
    },
  })
}
