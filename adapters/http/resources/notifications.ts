// Tests: tests/integration/http/notifications.test.ts
/** Received notifications and their results. A notification that no reader understood can be read again. */
import { z } from 'zod'
import { conflict, notFound } from '../../../domain/account/refusals.ts'
import { rereadOne } from '../../../workflows/capture/reparse.ts'
import { findNotification, listNotifications, NOTIFICATIONS_A_PAGE } from '../../../projections/notification/queries.ts'
import { openCursors } from '../openapi/cursors.ts'
import { idOf, type ApiContext } from '../context.ts'
import { optionalBody, query } from '../openapi/input.ts'
import { data, whole } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { Notification, presentNotification } from './presenters/notification.ts'
import { byCursor, nextCursor, page as pageOf, pageAsked } from './presenters/pages.ts'
import { NotificationList } from './requests.ts'

/** The owner confirms that an unsafe notification is genuine. */
const Confirmation = z.strictObject({ confirmed: z.boolean() }).partial()

const Notifications = pageOf(Notification, byCursor)

export const notificationRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { clock, database, store, capture, settings } = parts
  const { get, post } = operations.of('Notifications')

  const cursors = openCursors(settings.jwtSecret)

  const list = async (context: ApiContext, asked: z.output<typeof NotificationList>) => {
    const { user_id } = context.state.account
    const { status, page, include_raw } = asked
    const name = `notifications ${user_id}`
    const { rows, total } = await listNotifications(database, user_id, status, pageAsked(cursors, name, asked))
    const places = rows.map(({ received_at: created_at, id }) => ({ created_at, id }))
    return {
      success: true as const,
      data: rows.map((row) => presentNotification(row, include_raw === true)),
      total,
      page,
      limit: NOTIFICATIONS_A_PAGE,
      next_cursor: nextCursor(cursors, name, places, NOTIFICATIONS_A_PAGE),
    }
  }

  const readAgain = async (context: ApiContext, given: z.output<typeof Confirmation> | undefined) => {
    const { user_id } = context.state.account
    const notificationId = idOf(context)
    const row = await findNotification(database, user_id, notificationId)
    if (row?.status === 'ignored') throw conflict('Only a notification that nobody understood is read again.')
    const reparsing = {
      store,
      capture,
      clock,
      maxAgeMs: settings.reparseMaxAge * 1_000,
      confirmed: given?.confirmed === true,
    }
    const reread = await rereadOne(reparsing, user_id, notificationId)
    if (!reread) throw notFound('notification')
    await settled(parts, { checkpoint: await store.end() })
    return presentNotification({ ...reread, source: row?.source ?? null, text: null }, false)
  }

  get('/api/notifications', 'List notifications', signedIn, query(NotificationList), whole(Notifications), list)
  post(
    '/api/notifications/:id/reread',
    'Parse a notification again',
    signedIn,
    optionalBody(Confirmation),
    refuses('CONFLICT'),
    data(Notification),
    readAgain,
  )
}
