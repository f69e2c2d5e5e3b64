// Tests: tests/unit/domain/golden-events.test.ts
/**
 * Upcasters: functions that turn the data of an event's older version into the data of the next one. Stored events never change, so each
 * version that was ever written stays readable.
 *
 * To change an event's schema: change the schema, append a function to the event's list here, and run `npm run golden-events`, which
 * writes an example of the new version to `tests/corpus/events`.
 */
import type { EventType } from '../catalogue.ts'

/** @returns the data in the next version */
export type Upcaster = (data: unknown) => unknown

/** For each event that has had several versions: at index 0 the step from version 1 to 2, and so on. */
export type Upcasters = Readonly<Partial<Record<EventType, readonly Upcaster[]>>>

const unchanged: Upcaster = (data) => data

/** The first inboxes were written without their time. */
const inboxOpened: Upcaster = (data) => ({ created_at: '2026-11-21T00:00:00.000Z', ...(data as object) })

export const upcasters: Upcasters = {
  // Version 2 has the kind `store_went_back`, version 3 `mailbox_failing` and `disk_low`, version 4 `stream_parked`, version 5 `mail_skipped`,
  // version 6 `clock_differs`.
  AlertRaised: [unchanged, unchanged, unchanged, unchanged, unchanged],
  AlertEnded: [unchanged, unchanged, unchanged, unchanged, unchanged],
  // Version 2 has `due_now` and `again`.
  WebhookRetryRequested: [unchanged],
  // Version 2 has the filters `status` and `error`.
  JobCreated: [unchanged],
  // Version 2 may have the fields and the body beside the text, version 3 has the reason `unreadable_mail`.
  NotificationIgnored: [unchanged, unchanged],
  // Version 2 has the reason `unreadable_mail`.
  NotificationReread: [unchanged],
  // In version 2 each inbox has its time.
  InboxOpened: [inboxOpened],
}

/** @returns the version in which events of this type are written */
export const newestVersion = (type: string, steps: Upcasters = upcasters): number =>
  1 + (steps[type as EventType]?.length ?? 0)
