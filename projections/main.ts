// Tests: tests/unit/projections/read-models.test.ts
/** The projector `main`: everything that an API response or a delivery needs. */
import { KEPT_UNREAD_S } from '../domain/arrival/events.ts'
import { isReadable, type StoredEvent } from '../domain/parse-event.ts'
import { keptFor } from '../domain/retention.ts'
import type { Definition } from './engine/definition.ts'
import { parked } from './engine/parked-table.ts'
import { PARKED_STREAM } from '../domain/parked/events.ts'
import { account } from './account/projection.ts'
import { alert } from './alert/projection.ts'
import { attempt } from './attempt/projection.ts'
import { attemptCount, transactionTotal } from './counts/projection.ts'
import { deliveriesMadeDue, madeDue } from './delivery/made-due.ts'
import { delivery } from './delivery/projection.ts'
import { MAIN_GENERATIONS } from './generations.ts'
import { job } from './job/projection.ts'
import { mailAccount } from './mail-account/projection.ts'
import { notification, unreadBytes } from './notification/projection.ts'
import { ownedStream } from './owned-stream/projection.ts'
import { overQuota, quota, quotaPlan } from './quota/projection.ts'
import { rule } from './rule/projection.ts'
import { system } from './system/projection.ts'
import { transaction } from './transaction/projection.ts'

export interface MainSettings {
  /** Seconds by which the first calls over the quota are delayed. */
  overQuotaDelay: number
  /** Whether all readers are in this process. They wait for the rows that they must see, so captures may be written a little later. */
  isReadHere?: boolean
  /** Lifetime of unparsed notifications in the store, seconds. */
  keepUnread: number
}

/** A result whose retry is due within this time is written at once, because the retry is found by its row. Milliseconds. */
const DUE_SOON_MS = 2_000

/** Events that nothing waits for: they only have to be seen. */
const canWait = (event: StoredEvent, isReadHere: boolean): boolean => {
  if (!isReadable(event)) return false
  if (event.type === 'WebhookStatusChanged') return true
  if (event.type === 'TransactionCaptured') return isReadHere
  if (event.type !== 'WebhookAttempted') return false
  const { next_attempt_at } = event.data
  return next_attempt_at === null || Date.parse(next_attempt_at) - Date.parse(event.metadata.at) > DUE_SOON_MS
}

export const mainWith = ({ overQuotaDelay, keepUnread, isReadHere = false }: MainSettings): Definition => ({
  projector: 'main',
  generation: MAIN_GENERATIONS.length,
  keptFor: (stream) => keptFor(stream, keepUnread),
  schema: 'read_model',
  // `quota` comes before `transaction`, because it reads the row of a deleted transaction.
  projections: [
    account, alert, system, rule, quota(overQuotaDelay), quotaPlan, overQuota, transaction, attempt, delivery, madeDue,
    mailAccount, notification(keepUnread), unreadBytes, job, ownedStream(keepUnread), transactionTotal, attemptCount, parked,
  ], // prettier-ignore
  remaining: deliveriesMadeDue(),
  prefixes: ['account-', 'alerts-', 'transaction-', 'unread-', 'ignored-', 'job-', 'plan-order-', PARKED_STREAM],
  restMs: 0,
  canWait: (event) => canWait(event, isReadHere),
  heldBackMs: isReadHere ? { few: 1_000, many: 200 } : { few: 50, many: 50 },
  gatheringMs: 5_000,
  mostLateMs: 10_000,
})

export const main = mainWith({ overQuotaDelay: 900, keepUnread: KEPT_UNREAD_S })
