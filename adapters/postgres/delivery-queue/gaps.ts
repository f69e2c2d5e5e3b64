// Tests: tests/integration/delivery/gaps.test.ts
/**
 * Times in which no worker delivered: `ops.delivery_gap`. Endpoints were not tried then, so schedules of retries leave these times out.
 *
 * A heartbeat that comes long after the last one of any worker records the time between them. Until then, that time counts as a gap that
 * has just ended: a process that was suspended may look for due deliveries before its next heartbeat.
 */
import type { Queryable } from '../../database/database.ts'
import { deliveredSince, LAST_BEAT, SHORTLY } from '../../../projections/delivery/gaps.ts'

/** A step before the heartbeat in the same statement. Several workers may record the same gap. */
export const RECORD_GAP = `gap AS (
  INSERT INTO ops.delivery_gap (began_at, ended_at) SELECT at, now() FROM (${LAST_BEAT}) AS last ON CONFLICT DO NOTHING
)`

/** A step before all that read `DELIVERED_SINCE`. Postgres plans it once, however often it is read. */
export const delivered = (seconds: number): string =>
  `delivered AS MATERIALIZED (SELECT ${deliveredSince(seconds)} AS since)`

/** The moment of the step `delivered`. */
export const DELIVERED_SINCE = '(SELECT since FROM delivered)'

/** The watch on silent sources leaves these out too. Sources are silent after hours or days. */
const IS_LONG = `ended_at - began_at > interval '1 hour' AND ended_at > now() - interval '30 days'`

/** Deletes gaps before the longest schedule, except long ones of the last 30 days, and those that a clock recorded while it was ahead. */
export const sweepGaps = async (database: Queryable, wholeSchedule: number): Promise<void> => {
  await database.query(
    `DELETE FROM ops.delivery_gap
     WHERE (ended_at < ${deliveredSince(wholeSchedule)} AND NOT (${IS_LONG})) OR ended_at > ${SHORTLY}`,
  )
}
