// Tests: tests/integration/mail-out/mail-out.test.ts
/**
 * Mails wait in the table `ops.outbox`, so that neither a crash nor an unavailable mail server loses any. If no mail server
 * is configured, they stay in the table and the operator reads them there.
 */
import type { Mail, Mailer } from '../../domain/ports.ts'
import { type ScheduledJob, removing } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'
import { deliveredSince } from '../../projections/delivery/gaps.ts'
import { waitUntilWoken } from '../../workflows/support/abort.ts'

/** A mail as the operator sees it. */
export interface OutboxRow extends Mail {
  id: number
  created_at: string
  /** The number of attempts, including one that is made now. */
  tries: number
}

/** A mail that this process must send now. If this process does not report a result, another one takes it over. */
export type DueMail = OutboxRow

export interface Outbox extends Mailer {
  /** Mails that are not sent, newest first. */
  list(): Promise<OutboxRow[]>
  /** Takes mails that are due, oldest first. A mail is not taken again for `TAKEN_S`. */
  take(most: number): Promise<DueMail[]>
  sent(id: number): Promise<void>
  /** @param inSeconds  seconds until the next attempt; null means never */
  failed(id: number, inSeconds: number | null): Promise<void>
  /** Resolves when a mail is added in this process, after the timeout (milliseconds), or when the signal aborts. */
  arrival(timeoutMs: number, signal: AbortSignal): Promise<void>
}

const LISTED = 500
/** Longer than one attempt can take, so that a mail is not sent twice while its first attempt is still running. */
const TAKEN_S = 300
/** A mail that could not be sent for this long is outdated. Times in which nothing ran do not count, until it is deleted. In seconds. */
const TRIED_FOR_S = 86_400
/** A mail never waits this long for its next attempt. If it seems to, the database's clock was ahead and was corrected. In seconds. */
const NEVER_WAITS_S = 1_800
/** Longer than an event can still cause a mail (a day), so that the event's key is still stored. */
const KEPT_DAYS = 7

const COLUMNS = 'id, recipient AS "to", subject, body AS text, created_at, tries'

export const openOutbox = (database: Queryable): Outbox => {
  const waiting = new Set<() => void>()
  return {
    send: async ({ to, subject, text, key = null }) => {
      await database.query(
        'INSERT INTO ops.outbox (key, recipient, subject, body) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING',
        [key, to, subject, text],
      )
      for (const wake of [...waiting]) wake()
    },
    list: () =>
      database.query<OutboxRow>(
        `SELECT ${COLUMNS} FROM ops.outbox WHERE sent_at IS NULL ORDER BY id DESC LIMIT ${LISTED}`,
      ),
    take: (most) =>
      database.query<DueMail>(
        `UPDATE ops.outbox SET tries = tries + 1, due_at = now() + make_interval(secs => ${TAKEN_S})
          WHERE id IN (
            SELECT id FROM ops.outbox
            WHERE sent_at IS NULL AND created_at > greatest(${deliveredSince(TRIED_FOR_S)}, now() - make_interval(days => ${KEPT_DAYS}))
              AND (due_at <= now() OR (due_at > now() + make_interval(secs => ${NEVER_WAITS_S}) AND due_at < 'infinity'))
            ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
          )
          RETURNING ${COLUMNS}`,
        [most],
        'outbox-take',
      ),
    sent: async (id) => {
      await database.query("UPDATE ops.outbox SET sent_at = now(), body = '' WHERE id = $1", [id])
    },
    failed: async (id, inSeconds) => {
      await database.query(
        `UPDATE ops.outbox SET due_at = coalesce(now() + make_interval(secs => $2), 'infinity') WHERE id = $1`,
        [id, inSeconds],
      )
    },
    arrival: (timeoutMs, signal) => waitUntilWoken(timeoutMs, signal, waiting),
  }
}

/** Deletes mails after a week, sent or not. */
export const sweepOutbox = (database: Queryable): ScheduledJob =>
  removing('sweep_outbox', '23 * * * *', async () => (await database.query(SWEEP)).length)
const SWEEP = `DELETE FROM ops.outbox WHERE created_at < now() - make_interval(days => ${KEPT_DAYS}) RETURNING 1`
