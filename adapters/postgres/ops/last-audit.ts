// Tests: tests/integration/looking-commands.test.ts
/** The last `baoco audit`: the row of `ops.audit`. */
import type { Queryable } from '../../database/database.ts'

export interface LastAudit {
  ended_at: string
  events: number
  transactions: number
  faults: number
}

/** @returns null if there was none */
export const lastAudit = async (database: Queryable): Promise<LastAudit | null> => {
  const [row] = await database.query<LastAudit>('SELECT ended_at, events, transactions, faults FROM ops.audit')
  return row ?? null
}

export const keepAudit = async (
  database: Queryable,
  { ended_at, events, transactions, faults }: LastAudit,
): Promise<void> => {
  await database.query(
    `INSERT INTO ops.audit (ended_at, events, transactions, faults) VALUES ($1, $2, $3, $4)
     ON CONFLICT (one) DO UPDATE SET ended_at = excluded.ended_at, events = excluded.events,
       transactions = excluded.transactions, faults = excluded.faults`,
    [ended_at, events, transactions, faults],
  )
}
