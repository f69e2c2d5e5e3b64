// Tests: tests/integration/looking-commands.test.ts
/** The last `baoco audit`: the row of `ops.audit`. */
import type { StorePosition } from '../../../workflows/support/store-position.ts'
import type { Queryable } from '../../database/database.ts'

export interface LastAudit {
  ended_at: string
  events: number
  transactions: number
  /** Faults that this audit and the earlier ones found, since the last audit of everything. */
  faults: number
  /** When the last audit of everything ended. */
  whole_at: string
}

/** With what the next audit of a part needs to know. */
export interface KeptAudit extends LastAudit {
  /** null: the next audit begins with the first event. */
  position: StorePosition | null
  /** Faults in events. An audit of a part does not find them again. */
  event_faults: number
}

const SHOWN = 'ended_at, events, transactions, faults, coalesce(whole_at, ended_at) AS whole_at'

/** @returns null if there was none */
export const lastAudit = async (database: Queryable): Promise<LastAudit | null> => {
  const [row] = await database.query<LastAudit>(`SELECT ${SHOWN} FROM ops.audit`)
  return row ?? null
}

/** @returns null if there was none */
export const keptAudit = async (database: Queryable): Promise<KeptAudit | null> => {
  const [row] = await database.query<LastAudit & StorePosition & { checkpoint: string | null; event_faults: number }>(
    `SELECT ${SHOWN}, event_faults, checkpoint, event_id, stream, revision FROM ops.audit`,
  )
  if (!row) return null
  const { checkpoint, event_id, stream, revision, ...kept } = row
  return { ...kept, position: checkpoint === null ? null : { checkpoint, event_id, stream, revision } }
}

export const keepAudit = async (
  database: Queryable,
  { ended_at, events, transactions, faults, whole_at, event_faults, position }: KeptAudit,
): Promise<void> => {
  const { checkpoint = null, event_id = null, stream = null, revision = null } = position ?? {}
  await database.query(
    `INSERT INTO ops.audit (ended_at, events, transactions, faults, whole_at, event_faults, checkpoint, event_id, stream, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (one) DO UPDATE SET ended_at = excluded.ended_at, events = excluded.events,
       transactions = excluded.transactions, faults = excluded.faults, whole_at = excluded.whole_at,
       event_faults = excluded.event_faults, checkpoint = excluded.checkpoint, event_id = excluded.event_id,
       stream = excluded.stream, revision = excluded.revision`,
    [ended_at, events, transactions, faults, whole_at, event_faults, checkpoint, event_id, stream, revision],
  )
}

/** The next audit begins with the first event, because the events are in another store now. */
export const forgetAuditPosition = async (database: Queryable): Promise<void> => {
  await database.query('UPDATE ops.audit SET checkpoint = NULL, event_id = NULL, stream = NULL, revision = NULL')
}
