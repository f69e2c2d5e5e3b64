// Tests: tests/integration/http/notifications.test.ts
/** Received notifications and their results. A notification that no reader understood can be read again. */
import { z } from 'zod'
import { conflict, notFound } from '../../../domain/account/refusals.ts'
import { rereadOne } from '../../../workflows/capture/reparse.ts'
import {
  NOTIFICATIONS_A_PAGE,
  type NotificationRow,
  findNotification,
  listNotifications,
  notificationStatuses,
} from '../../../projections/notification/queries.ts'
import { openCursors } from '../openapi/cursors.ts'
import { type ApiContext, idOf } from '../context.ts'
import { optionalBody, query } from '../openapi/input.ts'
import { data, whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations, refuses } from '../openapi/operations.ts'
import { type ApiParts, settled } from '../parts.ts'
import { byCursor, nextCursor, pageOf, pageAsked } from '../openapi/pages.ts'
import { NotificationList } from './queries.ts'
import { type Unsafe, unsafeKind } from '../../../domain/arrival/events.ts'
import type { Account as AccountState } from '../../../domain/account/account.ts'
import { senderKey } from '../../../domain/banks/directory.ts'
import { URL_PATH, pathOfSource } from '../../../domain/arrival/receive-paths.ts'
import { sourceType } from '../../../domain/transaction/events.ts'
import { id, moment } from '../../../domain/fields.ts'

const Notification = z
  .strictObject({
    id,
    status: z.enum(notificationStatuses),
    source_type: sourceType,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the notification is not a transaction; null if it is one.' }),
    transaction_id: id.nullable(),
    received_at: moment,
    unsafe: unsafeKind.nullable().meta({
      description:
        'Why the text may have forged fields of the body. The notification then becomes a transaction only with `{"confirmed":true}`.',
    }),
    advice: z.string().nullable().meta({ description: 'The problem, and how to solve it.' }),
    untrusted_sender: z.string().nullable().meta({
      description:
        'The sender that was given at the personal URL, if trusting it makes texts like this one count. PUT /api/account/trusted-senders adds it.',
    }),
    text: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Only with include_raw=1. null if it is not stored, such as for a one-time password.' }),
  })
  .meta({ id: 'Notification' })

const WHY_UNSAFE: Record<Unsafe, string> = {
  duplicate_key: 'A field occurs twice in the body.',
  two_names:
    'The body gives one field under two names with different values, or it gives a bank’s app but a person as the sender.',
  broken_json: 'The body is not valid JSON, or no field of it contains a text.',
}

const FOR_UNSAFE =
  'The text of the notification may have named this field. Compare the text with your bank account. If it is genuine, send ' +
  '{"confirmed":true} to the reread call of this notification. Then change the template of your app: send the text as text/plain, and the ' +
  'sender in the query of the address (docs/connect-a-phone.md).'

const NO_SENDER =
  'The notification names no sender. Add the sender to the address in your app, such as ?sender=Vietcombank. If the app cannot name one, ' +
  'and passes on only what your bank sends, set without_sender to true with PUT /api/account/trusted-senders.'

const UNKNOWN_SENDER =
  'The sender is not one of the senders of this bank, or the app sent it blank. Check that the app fills in the sender. If you trust this ' +
  'sender, add it with PUT /api/account/trusted-senders. If an SMS app showed the text, its title may be a stranger’s profile name: forward the ' +
  'SMS itself, or set trust_sms_app_titles for this device or the personal URL.'

const UNKNOWN_APP =
  'The notification does not name the app of this bank. Check that your forwarder app sends the package of the bank’s app, such as ' +
  '?package=com.VCB. Incoming SMS to URL forwarder cannot send it: switch off its notification access, and forward SMS only.'

/** Sources of the personal URL for notifications without sender and app. */
const NAMELESS: ReadonlySet<string> = new Set(['url', 'url:sms', 'url:push'])

/** @returns null if the owner need not do anything */
const adviceOn = ({ reason, source, unsafe }: Pick<NotificationRow, 'reason' | 'source' | 'unsafe'>): string | null => {
  if (unsafe) return `${WHY_UNSAFE[unsafe]} ${FOR_UNSAFE}`
  if (reason === 'unknown_app') return UNKNOWN_APP
  if (reason !== 'unknown_sender') return null
  const isNameless = source !== null && pathOfSource(source) === URL_PATH && NAMELESS.has(source)
  return isNameless ? NO_SENDER : UNKNOWN_SENDER
}

/**
 * The sender that its owner may trust; null if none is known, or it is trusted already. A source names the sender of a text at the personal
 * URL in its compared form, and the package of an app as it is.
 */
const untrustedSender = (
  { trusted_senders }: Pick<AccountState, 'trusted_senders'>,
  { reason, source, unsafe }: Pick<NotificationRow, 'reason' | 'source' | 'unsafe'>,
): string | null => {
  if (reason !== 'unknown_sender' || unsafe || source === null || pathOfSource(source) !== URL_PATH) return null
  const name = source.slice(URL_PATH.length + 1)
  if (NAMELESS.has(source) || name !== senderKey(name)) return null
  return trusted_senders.some((trusted) => senderKey(trusted) === name) ? null : name
}

/** @param raw  whether the text is included */
const presentNotification = (
  account: AccountState,
  { text, source, ...row }: NotificationRow,
  raw: boolean,
): z.output<typeof Notification> => {
  const facts = { ...row, source }
  const shown = { ...row, advice: adviceOn(facts), untrusted_sender: untrustedSender(account, facts) }
  return raw ? { ...shown, text } : shown
}

/** The owner confirms that an unsafe notification is genuine. */
const Confirmation = z.strictObject({ confirmed: z.boolean().meta({ examples: [false] }) }).partial()

const NOT_UNPARSED = 'Only an unparsed notification can be parsed again.'

const Notifications = pageOf(Notification, byCursor)

export const notificationRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, store, capture, settings } = parts
  const { get, post } = operations.of('Notifications', signedIn)

  const cursors = openCursors(settings.jwtSecret)

  const list = async (context: ApiContext, asked: z.output<typeof NotificationList>) => {
    const { user_id } = context.state.account
    const { status, page, include_raw } = asked
    const name = `notifications ${user_id}`
    const of = pageAsked(cursors, name, asked)
    const { rows, total } = await listNotifications(database.of(user_id), user_id, status, of)
    const positions = rows.map(({ received_at: created_at, id }) => ({ created_at, id }))
    return {
      success: true as const,
      data: rows.map((row) => presentNotification(context.state.account, row, include_raw === true)),
      total,
      page,
      limit: NOTIFICATIONS_A_PAGE,
      next_cursor: nextCursor(cursors, name, positions, NOTIFICATIONS_A_PAGE),
    }
  }

  const readAgain = async (context: ApiContext, given: z.output<typeof Confirmation> | undefined) => {
    const { user_id } = context.state.account
    const notificationId = idOf(context)
    const row = await findNotification(database.of(user_id), user_id, notificationId)
    if (row?.status === 'ignored') throw conflict(NOT_UNPARSED)
    const reparsing = {
      store,
      capture,
      clock,
      maxAgeMs: settings.reparseMaxAge * 1_000,
      confirmed: given?.confirmed === true,
    }
    const reread = await rereadOne(reparsing, user_id, notificationId)
    if (!reread) throw row ? conflict(NOT_UNPARSED) : notFound('notification')
    await settled(parts, { checkpoint: await store.end() })
    return presentNotification(context.state.account, { ...reread, source: row?.source ?? null, text: null }, false)
  }

  get('/api/notifications', 'List notifications', query(NotificationList), whole(Notifications), list)
  post(
    '/api/notifications/:id/reread',
    'Parse a notification again',
    optionalBody(Confirmation),
    refuses('CONFLICT'),
    data(Notification),
    readAgain,
  )
}
