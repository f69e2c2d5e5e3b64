// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** Sets the retention times of the store (`domain/retention.ts`), and the scheduled job that removes expired events. */
import { KEPT_UNREAD_S } from '../../domain/arrival/events.ts'
import type { EventStore } from '../../domain/ports.ts'
import { KEPT_S } from '../../domain/retention.ts'
import { type ScheduledJob, removing } from './scheduled-work.ts'

/**
 * Sets the retention times. Called at every start, before anything is written.
 * @param keepUnread  lifetime of unparsed notifications, seconds
 */
export const applyRetention = async (
  store: Pick<EventStore, 'retain'>,
  keepUnread: number = KEPT_UNREAD_S,
): Promise<void> => {
  for (const [prefix, seconds] of Object.entries({ ...KEPT_S, 'unread-': keepUnread }))
    await store.retain(prefix, seconds)
}

/** Expired events are hidden already, so removing them may wait. Small steps keep the store free for other work. */
const EVERY_TEN_MINUTES = '*/10 * * * *'

export const expireEvents = (store: Pick<EventStore, 'expire'>): ScheduledJob =>
  removing('expire_events', EVERY_TEN_MINUTES, () => store.expire(), 'removed')
