// Tests: tests/unit/workflows/scheduled/give-up-unread.test.ts, tests/attack/account-limits.test.ts
/**
 * Keeps the unread notifications of an account within its plan's limit (decision "Sizes"). The oldest are given up
 * first. The read models maintain the sum of the bytes, so no notification causes a new sum. Between two runs of this
 * job an account may exceed its limit by what the receive limits allow.
 */
import { planAt, PLAN_LIMITS } from '../../domain/account/plan.ts'
import type { Plan } from '../../domain/account/events.ts'
import { UNREAD_ONLY, unreadStream, type NotificationEventData } from '../../domain/arrival/events.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import { stamp, ownCause } from '../support/stamp.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface UnreadOverLimit {
  user_id: number
  /** Bytes that are kept now. */
  bytes: number
  plan: Plan
  plan_expires_at: string | null
}

export type UnreadNotification = Omit<NotificationEventData['NotificationGivenUp'], 'user_id'>

export interface GiveUpUnreadParts {
  store: Pick<EventStore, 'append'>
  clock: Clock
  /** Accounts that may be over their limit. */
  overLimit: () => Promise<UnreadOverLimit[]>
  /** Oldest first: as many as must be removed to free at least this many bytes. */
  oldest: (userId: number, bytes: number) => Promise<UnreadNotification[]>
}

const EVERY_MINUTE = '38 * * * * *'
/** Notifications per append. */
const AT_A_TIME = 200

export const giveUpUnread = ({ store, clock, overLimit, oldest }: GiveUpUnreadParts): ScheduledJob => ({
  name: 'give_up_unread',
  at: EVERY_MINUTE,
  run: async (signal) => {
    const cause = ownCause()
    let given_up = 0
    for (const account of await overLimit()) {
      const { user_id, bytes } = account
      const excess = bytes - PLAN_LIMITS[planAt(account, clock.now())].unread_bytes
      if (excess <= 0) continue
      const notifications = await oldest(user_id, excess)
      for (let from = 0; from < notifications.length && !signal.aborted; from += AT_A_TIME) {
        const occasion = { user_id, at: clock.now(), ...cause }
        const units = notifications.slice(from, from + AT_A_TIME).map((notification) => [
          {
            stream: unreadStream(notification.notification_id),
            expectedRevision: UNREAD_ONLY,
            events: stamp([{ type: 'NotificationGivenUp', data: { ...notification, user_id } }], occasion),
          },
        ])
        // A failed append means that the notification was parsed in the meantime.
        given_up += (await store.append(units)).filter(({ ok }) => ok).length
      }
    }
    return given_up > 0 ? { given_up } : null
  },
})
