/** Makes a store with events of every kind, and migrates it with the event file as lines in memory. */
import { randomUUID } from 'node:crypto'
import { KEPT_UNREAD_S, type NotificationEventData } from '../../../domain/arrival/events.ts'
import { emailStream } from '../../../domain/account/email-claim.ts'
import type { EventStore, Unit } from '../../../domain/ports.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { exportEvents } from '../../../workflows/store-migration/export.ts'
import type { LastLine } from '../../../workflows/store-migration/event-file.ts'
import { importEvents, type ImportOptions, type Imported } from '../../../workflows/store-migration/import.ts'
import { goldenFile } from '../../corpus/golden-events.ts'
import { History } from '../projections/history.ts'
import type { Setting } from '../projections/setting.ts'

export const NOW = new Date('2026-11-20T12:00:00Z')

export const eventAt = (daysAgo: number, type: string, data: object) => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    user_id: 1,
    at: new Date(NOW.getTime() - daysAgo * DAY_MS).toISOString(),
    correlation_id: 'test',
    causation_id: 'test',
    version: 1,
  },
})

const seen = goldenFile('NotificationSeen', 1)!.examples[1] as object

export const ignoredBefore = (days: number): NotificationEventData['NotificationIgnored'] => ({
  notification_id: 9_000_000 + days,
  user_id: 1,
  source_type: 'sms',
  source: 'url:sms',
  stamp: null,
  received_at: new Date(NOW.getTime() - days * DAY_MS).toISOString(),
  reason: 'promotion',
  text: `${days} days ago`,
})

/** Events with a retention time. Some of them have expired. */
const keptForATime = (): Unit[] => [
  [
    {
      stream: 'book-1-VCB',
      expectedRevision: -1,
      events: [20, 9, 6, 1].map((days) =>
        eventAt(days, 'NotificationSeen', { ...seen, source: `${days} days ago\u2028` }),
      ),
    },
  ],
  [
    {
      stream: 'ignored-1',
      expectedRevision: -1,
      events: [40, 29].map((days) => eventAt(days, 'NotificationIgnored', ignoredBefore(days))),
    },
  ],
]

/** The email of a deleted account. Its claim is erased, so its stream begins with revision 1. A new account has claimed it again. */
const freed = emailStream('freed@example.com')
const freeEmail = async (store: EventStore): Promise<void> => {
  const events = (['EmailClaimed', 'EmailReleased'] as const).map((type) => eventAt(3, type, { user_id: 1 }))
  await store.append([[{ stream: freed, expectedRevision: -1, events }]])
  await store.erase(freed)
  await store.append([[{ stream: freed, expectedRevision: 1, events: [eventAt(2, 'EmailClaimed', { user_id: 2 })] }]])
}

/**
 * Adds accounts, transactions with attempts, deleted transactions (all but one erased), deduplication windows, ignored notifications and an
 * email that is free again.
 */
export const fill = async ({ store, append }: Setting, seed = 7, steps = 600): Promise<void> => {
  const history = new History(seed).grow(steps)
  await append(history.decided)
  const deleted = [...history.transactions].filter(([, transaction]) => transaction?.phase === 'deleted')
  for (const [id] of deleted.slice(1)) await store.erase(`transaction-${id}`)
  await store.append(keptForATime())
  await freeEmail(store)
}

export interface EventFile {
  lines: string[]
  summary: LastLine
}

export const exported = async (
  store: EventStore,
  readers: Record<string, string> = {},
  keepUnread = KEPT_UNREAD_S,
): Promise<EventFile> => {
  let text = ''
  const write = (part: string): Promise<void> => {
    text += part
    return Promise.resolve()
  }
  const summary = await exportEvents({ store, readers, now: NOW, keepUnread, write })
  return { lines: text.trimEnd().split('\n'), summary }
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

/** @returns the positions of the readers */
export const imported = async (
  store: EventStore,
  { lines, summary }: EventFile,
  options: Partial<ImportOptions> = {},
): Promise<Imported> => {
  let settled: Imported | undefined
  await importEvents({
    store,
    lines: () => linesOf(lines),
    summary,
    now: NOW,
    settle: (result) => {
      settled = result
      return Promise.resolve()
    },
    ...options,
  })
  return settled!
}
