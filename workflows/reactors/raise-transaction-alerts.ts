// Tests: tests/unit/workflows/reactors/raise-transaction-alerts.test.ts, tests/integration/http/alerts.test.ts
/**
 * Alerts about single transactions: copies that contradict each other (T4) or say that the money came back, and old
 * notifications that were not sent (T5). They end when the transaction is deleted.
 */
import { sourceSubject, transactionSubject } from '../alerts/subjects.ts'
import { pathOfSource } from '../../domain/arrival/receive-paths.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { cameBack } from '../../domain/reader/returned.ts'
import { DAY_MS } from '../../domain/time.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { sinceEvent, type Alerts } from '../alerts/alerts.ts'
import { causedBy } from '../support/stamp.ts'
import { inEach } from '../texts/texts.ts'
import { reactor, type Reactor } from './reactor.ts'

/** How long the alerts last, milliseconds. Until then, no second alert is raised for the same subject. */
const CONTRADICTING_FOR_MS = 7 * DAY_MS
const OLD_FOR_MS = DAY_MS

export const raiseTransactionAlerts = (
  alerts: Pick<Alerts, 'raise' | 'end'>,
  accounts: Pick<Accounts, 'find'>,
): Reactor => {
  const raiseContradicting = async (
    event: KnownEvent<'TransactionCaptured'>,
    first: number,
    contradicts: string,
  ): Promise<void> => {
    const { user_id, transaction_id, order_id, description } = event.data
    await alerts.raise({
      user_id,
      kind: 'contradicting_copy',
      subject: transactionSubject(first),
      text: inEach(({ alerts }) =>
        cameBack(event.data, description)
          ? alerts.cameBack(first, transaction_id, contradicts)
          : alerts.contradicting(first, transaction_id, contradicts, order_id ?? ''),
      ),
      ...sinceEvent(event, CONTRADICTING_FOR_MS),
    })
  }

  const raiseOld = async (
    event: RecordedEvent,
    user_id: number,
    transactionId: number,
    subject: string,
  ): Promise<void> => {
    const text = inEach(({ alerts }) => alerts.old(transactionId))
    await alerts.raise({ user_id, kind: 'old_notification', subject, text, ...sinceEvent(event, OLD_FOR_MS) })
  }

  return reactor('raise_transaction_alerts', ['transaction-'], {
    TransactionCaptured: (event) => {
      const { user_id, transaction_id, already_run_of, contradicts, held, webhook_status, source } = event.data
      if (contradicts !== undefined && already_run_of !== null)
        return raiseContradicting(event, already_run_of, contradicts)
      // A restored inbox with hundreds of texts gives one alert about its phone. A transaction without an order id would not
      // have been sent anyway.
      if (held === 'old_notification' && webhook_status === 'no_match')
        return raiseOld(event, user_id, transaction_id, sourceSubject(pathOfSource(source)))
      return 'nothing'
    },
    /** The copy that brought the order id is old itself. */
    TransactionCompleted: (event) => {
      const { transaction_id, held } = event.data
      const { user_id } = event.metadata
      if (held !== 'old_notification' || user_id === null) return 'nothing'
      return raiseOld(event, user_id, transaction_id, transactionSubject(transaction_id))
    },
    TransactionDeleted: async (event) => {
      const { user_id, transaction_id } = event.data
      // Nothing may be added to the alerts of an account that is being deleted.
      if (!(await accounts.find(user_id))) return 'nothing'
      const ended = {
        user_id,
        subject: transactionSubject(transaction_id),
        until: event.metadata.at,
        ...causedBy(event),
      }
      for (const kind of ['contradicting_copy', 'old_notification'] as const) await alerts.end({ kind, ...ended })
    },
  })
}
