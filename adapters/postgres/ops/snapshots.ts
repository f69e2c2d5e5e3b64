// Tests: tests/integration/adapters/snapshots.test.ts
/** Snapshots in Postgres, whichever event store is used (`workflows/support/snapshots.ts`). */
import { endianness } from 'node:os'
import { deserialize, serialize } from 'node:v8'
import type { KeptSnapshot, NewSnapshot, Snapshots } from '../../../workflows/support/snapshots.ts'
import type { ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import type { Database } from '../../database/database.ts'

const LOAD_MS = 2_000
/** Parts that are read with one statement. */
const AT_ONCE = 8

const LOAD = `
SELECT revision, event_id, state, parts, writer FROM ops.snapshot WHERE user_id = $1 AND name = $2 AND format = $3`

/** As base64. The driver gets bytes as hexadecimal digits, which are half as many again, and take twice as long to read. */
const LOAD_PARTS = `
SELECT id, encode(data, 'base64') AS data FROM ops.snapshot_part WHERE user_id = $1 AND name = $2 AND id = ANY ($3::uuid[])`

/** While processes of two versions run, only one of them saves. */
const FOREIGN = `
SELECT FROM ops.snapshot WHERE user_id = $1 AND name = $2 AND format <> $3 AND written_at > now() - interval '10 minutes'`

const SAVE_PART = 'INSERT INTO ops.snapshot_part (user_id, name, id, data) VALUES ($1, $2, $3, $4)'

/** Saves a snapshot, if all its parts are there. */
const SAVE = `
INSERT INTO ops.snapshot (user_id, name, format, writer, revision, event_id, state, parts)
SELECT $1::bigint, $2::text, $3::text, $4::uuid, $5::integer, $6::uuid, $7::bytea, $8::uuid[]
WHERE cardinality($8::uuid[]) =
  (SELECT count(*) FROM ops.snapshot_part WHERE user_id = $1::bigint AND name = $2::text AND id = ANY ($8::uuid[]))
ON CONFLICT (user_id, name) DO UPDATE SET format = excluded.format, writer = excluded.writer, revision = excluded.revision,
  event_id = excluded.event_id, state = excluded.state, parts = excluded.parts, written_at = now()
RETURNING 1`

const FORGET_OTHER_PARTS = 'DELETE FROM ops.snapshot_part WHERE user_id = $1 AND name = $2 AND id <> ALL ($3::uuid[])'

interface Row {
  revision: number
  event_id: string
  state: Buffer
  parts: string[]
  writer: string
}

/** @param version  of the folds: a snapshot of another one is not loaded */
export const openSnapshots = (database: Database, version: string, onFailure: (error: unknown) => void): Snapshots => {
  // Parts are numbers as this machine has them in its memory.
  const format = `${version} ${endianness()}`
  const quick = database.within(LOAD_MS)

  const load = async (userId: number, name: string): Promise<KeptSnapshot | null> => {
    const [row] = await quick.query<Row>(LOAD, [userId, name, format], 'snapshot')
    return row ? { ...row, state: deserialize(row.state) } : null
  }

  const some = async (userId: number, name: string, ids: readonly string[]): Promise<Uint8Array[]> => {
    const values = [userId, name, ids]
    const rows = await quick.query<{ id: string; data: string }>(LOAD_PARTS, values, 'snapshot-parts')
    const found = new Map(rows.map(({ id, data }) => [id, Buffer.from(data, 'base64')]))
    if (found.size < ids.length) throw new Error(`a part of the snapshot "${name}" is missing`)
    return ids.map((id) => found.get(id)!)
  }

  const save = async (userId: number, name: string, snapshot: NewSnapshot): Promise<boolean> => {
    const { revision, event_id, writer, parts, added } = snapshot
    const state = serialize(snapshot.state)
    if ((await database.query(FOREIGN, [userId, name, format])).length > 0) return false
    for (const [id, bytes] of added) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      await database.query(SAVE_PART, [userId, name, id, data], 'snapshot-part')
    }
    const saved = await database.query(SAVE, [userId, name, format, writer, revision, event_id, state, parts])
    if (saved.length === 0) return false
    await database.query(FORGET_OTHER_PARTS, [userId, name, parts])
    return true
  }

  const forget = async (userId: number, name: string): Promise<void> => {
    await database.query('DELETE FROM ops.snapshot WHERE user_id = $1 AND name = $2', [userId, name])
    await database.query('DELETE FROM ops.snapshot_part WHERE user_id = $1 AND name = $2', [userId, name])
  }

  /** The result after a failure. */
  const failed =
    <T>(value: T) =>
    (error: unknown): T => {
      onFailure(error)
      return value
    }

  return {
    load: (userId, name) => load(userId, name).catch(failed(null)),
    parts: async function* (userId, name, ids) {
      const read = (from: number): Promise<Uint8Array[]> => {
        const reading = some(userId, name, ids.slice(from, from + AT_ONCE))
        // It is awaited later, or not at all if the caller stops.
        reading.catch(() => {})
        return reading
      }
      let next = read(0)
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        const present = await next
        next = read(from + AT_ONCE)
        yield* present
      }
    },
    save: (userId, name, snapshot) => save(userId, name, snapshot).catch(failed(false)),
    forget: (userId, name) => forget(userId, name).catch(onFailure),
  }
}

/** The events of a window are gone after seven days, so its snapshot is of no use. */
const SWEEP = `
DELETE FROM ops.snapshot WHERE starts_with(name, 'book ') AND written_at < now() - interval '8 days' RETURNING 1`

/** Removes the parts of snapshots that were not finished, or were deleted. */
const SWEEP_PARTS = `
DELETE FROM ops.snapshot_part p WHERE written_at < now() - interval '1 hour' AND NOT EXISTS (
  SELECT FROM ops.snapshot s WHERE s.user_id = p.user_id AND s.name = p.name AND p.id = ANY (s.parts)
) RETURNING 1`

/** Removes snapshots of windows that are no longer used. */
export const sweepSnapshots = (database: Pick<Database, 'query'>): ScheduledJob => ({
  name: 'sweep_snapshots',
  at: '41 4 * * *',
  run: async () => {
    const snapshots = (await database.query(SWEEP)).length
    const parts = (await database.query(SWEEP_PARTS)).length
    return snapshots + parts > 0 ? { snapshots, parts } : null
  },
})
