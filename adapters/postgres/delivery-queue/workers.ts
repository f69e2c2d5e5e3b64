// Tests: tests/integration/delivery/takeover.test.ts
/** The workers of the queue: their heartbeats, and their open claims. */
import type { DeliveryQueue, OpenClaims, OtherWorker } from '../../../workflows/deliver/queue.ts'
import type { Queryable } from '../../database/database.ts'
import { RECORD_GAP } from './gaps.ts'

const COUNT_OPEN = `
SELECT c.worker, count(*) AS claims_open FROM ops.claim c
  JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
WHERE c.worker = ANY ($1::uuid[]) AND d.status = 'open' AND c.attempt > d.attempt
GROUP BY c.worker ORDER BY c.worker`

const BEAT = `
WITH ${RECORD_GAP}
INSERT INTO ops.worker AS w (worker, beat) VALUES ($1, 1)
ON CONFLICT (worker) DO UPDATE SET beat = w.beat + 1, beaten_at = now()
RETURNING now() AS now, beat = 1 AS is_new`

const OTHERS = 'SELECT worker, beat, ended_at IS NOT NULL AS ended FROM ops.worker WHERE worker <> $1'

const SWEEP_WORKERS = `
DELETE FROM ops.worker w
WHERE w.worker = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM ops.claim c WHERE c.worker = w.worker)`

type Workers = Pick<DeliveryQueue, 'countOpen' | 'beat' | 'signOff'>

/** @param noted  called with the database's time at each heartbeat */
export const openWorkers = (database: Queryable, noted: (now: Date) => Promise<void>): Workers => ({
  countOpen: (workers) => database.query<OpenClaims>(COUNT_OPEN, [workers]),

  beat: async (worker) => {
    const [row] = await database.query<{ now: string; is_new: boolean }>(BEAT, [worker])
    const others = await database.query<OtherWorker>(OTHERS, [worker])
    const now = new Date(row!.now)
    await noted(now)
    return { now, others, isNew: row!.is_new }
  },

  signOff: async (worker) => {
    await database.query('UPDATE ops.worker SET ended_at = now() WHERE worker = $1', [worker])
  },
})

/** Deletes dead workers without claims. */
export const sweepWorkers = async (database: Queryable, dead: readonly string[]): Promise<void> => {
  if (dead.length > 0) await database.query(SWEEP_WORKERS, [dead])
}
