// Tests: tests/integration/postgres/usage.test.ts
/**
 * The usage of accounts, for the lock on abuse. Every call is judged from this process's memory, without a database query.
 * Once a second the processes exchange what they saw, in a few statements whatever the number of calls. So with several
 * processes an account may be locked a second late. While Postgres is unavailable, each process judges by what it sees
 * itself.
 */
import {
  Usage,
  OVER_WITHIN_S,
  POLL_GAP_MS,
  SLOT_MS,
  SLOTS,
  type Abuse,
  type AbuseLimits,
  type Run,
  type Seen,
} from '../../../domain/account/abuse.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import type { ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import type { Queryable } from '../../database/database.ts'
import { columnsOf } from '../../database/columns.ts'

const SECOND_MS = 1_000
/** All processes exchange at the same moment of every second, because requests in flight are added up. */
const OFFSET_MS = 500

const ADD_CALLS = `
INSERT INTO ops.conduct_calls AS c (who, slot, calls) SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[])
ON CONFLICT (who, slot) DO UPDATE SET calls = c.calls + excluded.calls`

const ALL_CALLS = 'SELECT who, slot, calls FROM ops.conduct_calls WHERE who = ANY ($1) AND slot > $2'

/** Same rule as in `Usage`: a run continues if the same signature follows soon, with no other call in between. */
const ADD_RUNS = `
INSERT INTO ops.conduct_run AS r (who, signature, calls, first_at, last_at, broken)
SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::bigint[], $5::bigint[], $6::boolean[])
ON CONFLICT (who) DO UPDATE SET
  calls = excluded.calls + CASE
    WHEN NOT excluded.broken AND excluded.signature <> '' AND excluded.signature = r.signature
      AND excluded.first_at - r.last_at < ${POLL_GAP_MS} THEN r.calls
    ELSE 0
  END,
  signature = excluded.signature, first_at = excluded.first_at, last_at = excluded.last_at, broken = excluded.broken
RETURNING who, signature, calls, last_at`

const ADD_PARALLEL = `
INSERT INTO ops.conduct_parallel AS p (who, second, requests) SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[])
ON CONFLICT (who, second) DO UPDATE SET requests = p.requests + excluded.requests`

const OVER_SECONDS = `
SELECT who, array_agg(second::float8) AS seconds FROM ops.conduct_parallel
WHERE who = ANY ($1) AND second > $2 AND requests > $3 GROUP BY who`

interface Report {
  who: string
  usage: Usage
  seen: Seen
}

export interface UsageCounters {
  /**
   * Registers an incoming call. Each `enter` must be followed by `leave`.
   * @param who  an account since its last lock was lifted
   * @param signature  the same for equal GETs; empty for any other call
   */
  enter(who: string, signature: string): Abuse | null
  leave(who: string): void
  /** Exchanges counts with the other processes now. @throws if the database does not answer */
  settle(): Promise<void>
  /** Settles every second until the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

const addCalls = async (
  database: Queryable,
  reports: readonly Report[],
  at: number,
): Promise<Map<string, Map<number, number>>> => {
  const rows = reports.flatMap(({ who, seen }) => [...seen.calls].map(([slot, calls]) => ({ who, slot, calls })))
  if (rows.length > 0) await database.query(ADD_CALLS, columnsOf(rows, 'who', 'slot', 'calls'), 'usage-add-calls')
  const known = await database.query<{ who: string; slot: number; calls: number }>(
    ALL_CALLS,
    [reports.map(({ who }) => who), Math.floor(at / SLOT_MS) - SLOTS],
    'usage-all-calls',
  )
  const all = new Map(reports.map(({ who }) => [who, new Map<number, number>()]))
  for (const { who, slot, calls } of known) all.get(who)!.set(slot, calls)
  return all
}

const addRuns = async (database: Queryable, reports: readonly Report[]): Promise<Map<string, Run>> => {
  const runs = reports.flatMap(({ who, seen: { run } }) => (run ? [{ who, ...run }] : []))
  if (runs.length === 0) return new Map()
  const rows = await database.query<Run & { who: string }>(
    ADD_RUNS,
    columnsOf(runs, 'who', 'signature', 'calls', 'first_at', 'last_at', 'broken'),
    'usage-add-runs',
  )
  return new Map(rows.map(({ who, ...run }) => [who, run]))
}

/** @returns the seconds in which an account had too many requests at a time */
const addParallel = async (
  database: Queryable,
  reports: readonly Report[],
  at: number,
  most: number,
): Promise<Map<string, number[]>> => {
  const rows = reports.flatMap(({ who, seen: { parallel } }) => (parallel ? [{ who, ...parallel }] : []))
  if (rows.length === 0) return new Map()
  await database.query(ADD_PARALLEL, columnsOf(rows, 'who', 'second', 'requests'), 'usage-add-parallel')
  const over = await database.query<{ who: string; seconds: number[] }>(
    OVER_SECONDS,
    [rows.map(({ who }) => who), Math.floor(at / SECOND_MS) - OVER_WITHIN_S, most],
    'usage-over-seconds',
  )
  return new Map(over.map(({ who, seconds }) => [who, seconds]))
}

/** @param now  milliseconds since 1970 */
export const openUsageCounters = (
  database: Queryable,
  limits: AbuseLimits,
  now: () => number = Date.now,
): UsageCounters => {
  const counters = new Map<string, Usage>()

  const settle = async (): Promise<void> => {
    const at = now()
    for (const [who, usage] of counters) if (usage.isOver(at)) counters.delete(who)
    // Sorted, so that two processes lock rows in the same order.
    const reports = [...counters]
      .map(([who, usage]): Report => ({ who, usage, seen: usage.report(at) }))
      .sort((a, b) => (a.who < b.who ? -1 : 1))
    const active = reports.filter(({ seen: { calls, parallel } }) => calls.size > 0 || parallel !== null)
    if (active.length === 0) return
    try {
      const [calls, runs, over] = await Promise.all([
        addCalls(database, active, at),
        addRuns(database, active),
        addParallel(database, active, at, limits.parallel),
      ])
      for (const { who, usage } of active)
        usage.reported({ calls: calls.get(who)!, run: runs.get(who) ?? null, overSeconds: over.get(who) ?? [] })
    } catch (error) {
      for (const { usage } of active) usage.notReported()
      throw error
    }
  }

  return {
    enter: (who, signature) => {
      let usage = counters.get(who)
      if (!usage) counters.set(who, (usage = new Usage(limits)))
      return usage.enter(signature, now())
    },
    leave: (who) => counters.get(who)?.leave(),
    settle,
    run: async (signal) => {
      while (!signal.aborted) {
        const wait = SECOND_MS - ((now() + OFFSET_MS) % SECOND_MS)
        await waitUnlessAborted(wait, signal)
        await settle().catch(() => {})
      }
    },
  }
}

/** Deletes rows that are too old to lock an account. */
export const sweepUsage = (database: Queryable): ScheduledJob => ({
  name: 'sweep_usage',
  at: '*/10 * * * *',
  run: async () => {
    const at = Date.now()
    await database.query('DELETE FROM ops.conduct_calls WHERE slot < $1', [Math.floor(at / SLOT_MS) - SLOTS])
    await database.query('DELETE FROM ops.conduct_run WHERE last_at < $1', [at - POLL_GAP_MS])
    await database.query('DELETE FROM ops.conduct_parallel WHERE second < $1', [
      Math.floor(at / SECOND_MS) - OVER_WITHIN_S,
    ])
    return null
  },
})
