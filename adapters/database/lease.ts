// Tests: tests/integration/adapters/lease.test.ts
/**
 * A lease in Postgres (`ops.lease`): of all processes that want to do some work, one does it. The holder renews the lease. If
 * it has not renewed for the duration of the lease, another process takes it. All times are the database's, with one
 * exception: how long the holder trusts its last renewal. That time starts before the query is sent and is a little shorter
 * than the lease, so that the holder stops before another process begins.
 *
 * A process that was frozen may finish its current step before it detects that the lease is lost. So the holder's work must
 * be safe to do twice, or must have a second guard.
 */
import { randomUUID } from 'node:crypto'
import type { Lease } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { endedWithin } from '../../workflows/support/ended-within.ts'
import { Gather } from '../../workflows/support/gather.ts'
import type { Queryable } from './database.ts'
import { columnsOf } from './columns.ts'

/** Milliseconds. A standby takes over at most `LASTS + LOOK_EVERY` after the holder's last renewal. */
const LASTS = 8_000
const LOOK_EVERY = 1_000
const TRUSTED_SHARE = 0.8
const RELEASE_WITHIN = 1_000
/** A renewal waits this long for those of other leases, so that one statement renews all leases of a process. */
const GATHERED = 100

/**
 * A lease never ends later than it lasts from now. One that ends much later was taken while the database's clock was ahead, and
 * is void. Its holder, if it lives, renews it within two seconds.
 * @param seconds  SQL: how long the lease lasts
 */
export const isOver = (seconds: string): string =>
  `(l.expires_at < now() OR l.expires_at > now() + 2 * make_interval(secs => ${seconds}))`

const TAKE = `
INSERT INTO ops.lease AS l (name, holder, expires_at, process) VALUES ($1, $2, now() + make_interval(secs => $3), $4)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, process = excluded.process,
  since = excluded.since
  WHERE l.holder = excluded.holder OR ${isOver('$3')}
RETURNING 1`

const RENEW = `
UPDATE ops.lease l SET expires_at = now() + make_interval(secs => mine.seconds)
FROM unnest($1::text[], $2::uuid[], $3::float8[]) AS mine (name, holder, seconds)
WHERE l.name = mine.name AND l.holder = mine.holder RETURNING l.holder`

const RELEASE = 'DELETE FROM ops.lease WHERE name = $1 AND holder = $2'

/** Deletes all leases. For a caller that is certain that all other processes are gone. */
export const forgetLeases = async (database: Queryable): Promise<void> => {
  await database.query('DELETE FROM ops.lease')
}

/** Ends a lease. Its holder detects that at its next renewal, and then it or another process takes the lease again. */
export const endLease = async (database: Queryable, name: string): Promise<void> => {
  await database.query('DELETE FROM ops.lease WHERE name = $1', [name])
}

/** Whether a process holds the lease now. */
export const isLeased = async (database: Queryable, name: string): Promise<boolean> =>
  (await database.query(`SELECT FROM ops.lease l WHERE name = $1 AND NOT ${isOver('$2')}`, [name, LASTS / 1_000]))
    .length > 0

export interface HeldLease {
  name: string
  /** Null for leases of mailboxes. */
  process: string | null
  since: string
}

/** Each mailbox that is read has a lease of its own. */
export const isOfMailbox = ({ name }: Pick<HeldLease, 'name'>): boolean => name.startsWith('mailbox ')

/** Leases that processes hold now. */
export const heldLeases = (database: Queryable): Promise<HeldLease[]> =>
  database.query<HeldLease>('SELECT name, process, since FROM ops.lease l WHERE expires_at > now() ORDER BY name')

export interface LeaseOptions {
  database: Queryable
  /** The work that is leased. */
  name: string
  /** Called if the database does not answer or the work fails. Both are retried. */
  onFailure?: (error: unknown) => void
  /** Names this process to the operator. */
  process?: string
  /** Called when this process begins and ends to hold the lease. */
  onChange?: (isHeld: boolean) => void
  /** Milliseconds. Only tests change them. */
  lasts?: number
  lookEvery?: number
}

interface Renewal {
  name: string
  holder: string
  seconds: number
  done: (isMine: boolean) => void
  failed: (error: unknown) => void
}

/** Renews the leases of a process together. */
const openRenewals = (database: Queryable) => {
  const asked: Renewal[] = []
  const send = async (renewals: readonly Renewal[]): Promise<void> => {
    try {
      const values = columnsOf(renewals, 'name', 'holder', 'seconds')
      const rows = await database.query<{ holder: string }>(RENEW, values, 'lease-renew')
      const holders = new Set(rows.map(({ holder }) => holder))
      for (const { holder, done } of renewals) done(holders.has(holder))
    } catch (error) {
      for (const { failed } of renewals) failed(error)
    }
  }
  const gather = new Gather<Renewal[]>({
    apartMs: GATHERED,
    waitsFirst: true,
    // A statement that gets no answer must not hold up the next one.
    sideBySide: Infinity,
    keepsRunning: false,
    take: () => (asked.length > 0 ? asked.splice(0) : null),
    handle: send,
  })
  /** @returns whether the lease is still of this holder */
  return (name: string, holder: string, seconds: number): Promise<boolean> =>
    new Promise((done, failed) => {
      asked.push({ name, holder, seconds, done, failed })
      gather.added()
    })
}

const renewalsOf = new WeakMap<Queryable, ReturnType<typeof openRenewals>>()

export const openLease = (options: LeaseOptions): Lease => {
  const {
    database,
    name,
    process = null,
    onFailure = () => {},
    onChange = () => {},
    lasts = LASTS,
    lookEvery = LOOK_EVERY,
  } = options
  const holder = randomUUID()
  const mine = [name, holder]
  const seconds = lasts / 1_000
  const renew = renewalsOf.get(database) ?? openRenewals(database)
  renewalsOf.set(database, renew)
  const wait = (signal: AbortSignal) => waitUnlessAborted(lookEvery, signal)
  // A renewal may fail twice before the lease ends.
  const renewEvery = Math.max(lookEvery, Math.min(2 * lookEvery, lasts / 4))

  /** Resolves when the lease is lost or the work has ended. */
  const keep = async (askedAt: number, lost: AbortController, ended: AbortSignal): Promise<void> => {
    const trustUntil = (asked: number) =>
      setTimeout(() => lost.abort(), asked + lasts * TRUSTED_SHARE - performance.now())
    let deadline = trustUntil(askedAt)
    ended.addEventListener('abort', () => clearTimeout(deadline))
    while (!ended.aborted && !lost.signal.aborted) {
      await waitUnlessAborted(renewEvery, ended)
      if (ended.aborted) return
      const asked = performance.now()
      try {
        const isMine = await renew(name, holder, seconds)
        clearTimeout(deadline)
        if (!isMine) return lost.abort()
        if (!ended.aborted) deadline = trustUntil(asked)
      } catch (error) {
        // The end of the work may have closed the database.
        if (!ended.aborted) onFailure(error)
      }
    }
  }

  const holdOnce = async (work: (held: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> => {
    const asked = performance.now()
    if ((await database.query(TAKE, [...mine, seconds, process])).length === 0) return
    onChange(true)
    const lost = new AbortController()
    const ended = new AbortController()
    void keep(asked, lost, ended.signal)
    try {
      await work(AbortSignal.any([lost.signal, signal]))
    } finally {
      ended.abort()
      onChange(false)
      // An unavailable database must not keep the process from stopping. In that case the lease expires.
      const released = database.query(RELEASE, mine).catch(onFailure)
      await endedWithin(RELEASE_WITHIN, released)
    }
  }

  return {
    hold: async (work, signal) => {
      while (!signal.aborted) {
        await holdOnce(work, signal).catch(onFailure)
        if (!signal.aborted) await wait(signal)
      }
    },
  }
}
