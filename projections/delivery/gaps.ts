// Tests: tests/integration/delivery/gaps.test.ts
/** SQL for the times in which no worker delivered: `ops.delivery_gap`. Nothing ran here then, or the machine was suspended. */

/** Seconds without a heartbeat of any worker. A restart takes less. */
const SHORTEST = 20

/**
 * A statement may see rows that were written after its start. So times until shortly after `now()` count. Later ones are from a clock that was
 * ahead.
 */
export const SHORTLY = `now() + interval '${SHORTEST} seconds'`

/** The last heartbeat of any worker, if it was long ago: the gap after it is not recorded yet. */
export const LAST_BEAT = `
  SELECT max(greatest(beaten_at, ended_at)) AS at FROM ops.worker WHERE beaten_at <= ${SHORTLY}
  HAVING max(greatest(beaten_at, ended_at)) < now() - interval '${SHORTEST} seconds'`

/** Rows `began_at` and `ended_at`. */
export const GAPS = `
  SELECT began_at, ended_at FROM ops.delivery_gap WHERE ended_at <= ${SHORTLY}
  UNION ALL SELECT at, now() FROM (${LAST_BEAT}) AS last`

/** SQL for the moment since which workers have delivered for this long, with gaps in between. */
export const deliveredSince = (seconds: number): string => `(
  SELECT now() - make_interval(secs => ${seconds}) - coalesce(
    sum(lasted) FILTER (WHERE now() - ended_at - later < make_interval(secs => ${seconds})), interval '0')
  FROM (
    SELECT ended_at, ended_at - began_at AS lasted, coalesce(
      sum(ended_at - began_at) OVER (ORDER BY ended_at DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), interval '0'
    ) AS later
    FROM (${GAPS}) AS each
  ) AS gap)`
