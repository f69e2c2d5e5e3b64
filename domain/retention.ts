// Tests: tests/integration/scheduled/scheduled-work.test.ts
/** How long the store keeps events that are not permanent. */
import { KEPT_IGNORED_S, KEPT_UNREAD_S } from './arrival/events.ts'
import { CREDITS_KEPT_S, CREDITS_PREFIX } from './credits/events.ts'
import { DEDUP_RETENTION_S } from './dedup/events.ts'

/** By the prefix of a stream's name. A deduplication window distinguishes copies of one event, which arrive within days. */
export const KEPT_S = {
  'book-': DEDUP_RETENTION_S,
  'ignored-': KEPT_IGNORED_S,
  'unread-': KEPT_UNREAD_S,
  [CREDITS_PREFIX]: CREDITS_KEPT_S,
} as const

/**
 * How long events of a stream are kept, seconds; null: permanently.
 * @param keepUnread  lifetime of unparsed notifications, seconds
 */
export const keptFor = (stream: string, keepUnread: number = KEPT_UNREAD_S): number | null =>
  stream.startsWith('unread-')
    ? keepUnread
    : (Object.entries(KEPT_S).find(([prefix]) => stream.startsWith(prefix))?.[1] ?? null)
