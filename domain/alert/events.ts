// Tests: tests/unit/domain/alert/alerts.test.ts
/** Events that an owner should see and may have to act on: stream `alerts-<user>`. */
import { z } from 'zod'
import { id, moment } from '../fields.ts'

export const alertKind = z.enum([
  'endpoint_failing',
  'source_silent',
  'quota_80',
  'rule_paused',
  'new_bank_account',
  'contradicting_copy',
  'old_notification',
  'unsafe_forwarder',
  'mailbox_paused',
  'store_went_back',
  'mailbox_failing',
  'disk_low',
  'stream_parked',
  'mail_skipped',
  'clock_differs',
])
export type AlertKind = z.infer<typeof alertKind>

export const alertEvents = {
  AlertRaised: z.object({
    user_id: id,
    alert_id: id,
    kind: alertKind,
    /**
     * The subject: `rule:5`, `device:7`, `mail_account:3`, `receive_url`, `bank_account:9`, `month:2026-11`, `transaction:4`,
     * `event_store`, `disk:10` and `disk:postgres:10` (per cent), `stream:transaction-4`, or an origin.
     */
    subject: z.string(),
    /** A few plain sentences. */
    text: z.string(),
    /** When its cause began. */
    since: moment,
    /** The latest time at which it ends, if known from the start. */
    ends_at: moment.nullable(),
  }),
  AlertEnded: z.object({ user_id: id, alert_id: id, kind: alertKind, subject: z.string(), until: moment }),
}

type Schemas = typeof alertEvents
export type AlertEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type AlertEvent = { [Type in keyof Schemas]: { type: Type; data: AlertEventData[Type] } }[keyof Schemas]

export const alertStream = (userId: number): string => `alerts-${userId}`
