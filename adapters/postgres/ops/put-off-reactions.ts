// Tests: tests/integration/reactors/put-off.test.ts
/** Reactions that wait until their event can be handled: `ops.put_off_reaction`. */
import type { PutOff, PutOffs } from '../../../workflows/reactors/put-off-reactions.ts'
import type { Queryable } from '../../database/database.ts'

export const openPutOffReactions = (database: Queryable): PutOffs => ({
  all: () =>
    database.query<PutOff>(
      'SELECT reactor, stream, revision FROM ops.put_off_reaction ORDER BY since, stream, revision',
    ),
  keep: async ({ reactor, stream, revision }, reason) => {
    await database.query(
      `INSERT INTO ops.put_off_reaction (reactor, stream, revision, reason) VALUES ($1, $2, $3, $4)
        ON CONFLICT (reactor, stream, revision) DO UPDATE SET reason = excluded.reason`,
      [reactor, stream, revision, reason.replaceAll('\0', ' ')],
    )
  },
  done: async ({ reactor, stream, revision }) => {
    await database.query('DELETE FROM ops.put_off_reaction WHERE reactor = $1 AND stream = $2 AND revision = $3', [
      reactor,
      stream,
      revision,
    ])
  },
})
