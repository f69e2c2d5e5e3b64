// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** How long the store keeps events that are not permanent, and the scheduled job that removes them. */
import { DEDUP_RETENTION_S } from '../../domain/dedup/events.ts'
import { CREDITS_KEPT_S, CREDITS_PREFIX } from '../../domain/credits/events.ts'
import { KEPT_IGNORED_S, KEPT_UNREAD_S } from '../../domain/arrival/events.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/** By the prefix of a stream's name. A deduplication window distinguishes copies of one event, which arrive within days. */
export const KEPT_S = {
  'book-': DEDUP_RETENTION_S,
  'ignored-': KEPT_IGNORED_S,
  'unread-': KEPT_UNREAD_S,
  [CREDITS_PREFIX]: CREDITS_KEPT_S,
} as const

/** How long events of a stream are kept, seconds; null: permanently. */
export const keptFor = (stream: string): number | null =>
  Object.entries(KEPT_S).find(([prefix]) => stream.startsWith(prefix))?.[1] ?? null

/**
 * Tells the store the retention times. Called at every start, before anything is written.
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

/** @param at  the schedule, for a store that cannot remove in small steps */
export const expireEvents = (store: Pick<EventStore, 'expire'>, at = EVERY_TEN_MINUTES): ScheduledJob => ({
  name: 'expire_events',
  at,
  run: async () => {
    const removed = await store.expire()
    return removed > 0 ? { removed } : null
  },
})
