/**
 * Mails wait in a table, `ops.outbox`, so that a crash or a mail server that is away loses none of them. Without a mail
 * server the table is where they end: the operator reads them there.
 */
import type { Mail, Mailer } from '../../domain/ports.ts'
import type { ScheduledJob } from '../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../database/database.ts'

/** As the operator sees it. */
export interface OutboxRow extends Mail {
  id: number
  created_at: string
}

/** A mail that this process is to send now; another may take it over when this one is not heard of again. */
export interface DueMail extends OutboxRow {
  /** This one included, from 1. */
  tries: number
}

export interface Outbox extends Mailer {
  /** Those not sent, newest first. */
  list(): Promise<OutboxRow[]>
  /** Takes mails that are due, oldest first; none of them is given out again for `TAKEN_S`. */
  take(most: number): Promise<DueMail[]>
  sent(id: number): Promise<void>
  /** @param inSeconds  until the next try; null: never */
  failed(id: number, inSeconds: number | null): Promise<void>
  /** Resolves when a mail came in here, or after so long (milliseconds), or when the signal aborts. */
  arrival(timeoutMs: number, signal: AbortSignal): Promise<void>
}

const LISTED = 500
/** Longer than one try can take, so that a mail is not sent twice while its first try is still under way. */
const TAKEN_S = 300
/** A mail that could not be sent for so long is news no more, and a day is how long a link in one can be good. */
const TRIED_FOR_S = 86_400
/** Longer than an event may be answered by a mail (a day), so that its key is remembered. */
const KEPT_DAYS = 7

const COLUMNS = 'id, recipient AS "to", subject, body AS text, created_at'

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
            WHERE sent_at IS NULL AND due_at <= now() AND created_at > now() - make_interval(secs => ${TRIED_FOR_S})
            ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
          )
          RETURNING ${COLUMNS}, tries`,
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
    arrival: (timeoutMs, signal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, timeoutMs)
        waiting.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      }),
  }
}

/** Mails leave the table after a week, sent or not. */
export const sweepOutbox = (database: Queryable): ScheduledJob => ({
  name: 'sweep_outbox',
  at: '23 * * * *',
  run: async () => {
    const swept = await database.query(
      `DELETE FROM ops.outbox WHERE created_at < now() - make_interval(days => ${KEPT_DAYS}) RETURNING 1`,
    )
    return swept.length > 0 ? { swept: swept.length } : null
  },
})
