// Tests: tests/attack/account-deletion-cost.test.ts
/**
 * Lists the streams of an account from the read models, for its deletion. One statement reads everything, so the list
 * belongs to exactly one position in the store, even while a rebuild exchanges the tables.
 */
import { unreadStream } from '../../domain/arrival/events.ts'
import { jobStream } from '../../domain/job/events.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { Listing } from '../../workflows/accounts/streams-of-account.ts'
import { readCheckpoint, reasonToRebuild } from '../engine/checkpoint.ts'
import type { Definition } from '../engine/definition.ts'
import type { Queryable } from '../engine/queryable.ts'

/** Ids of transactions per row, so that a million of them do not become a million rows in memory. */
const IDS_PER_ROW = 10_000

const listing = (schema: string): string => `
SELECT 'passed' AS kind, passed AS value FROM ${schema}.checkpoint WHERE projector = $2
UNION ALL
SELECT 'transactions', string_agg(id::text, ' ')
  FROM (SELECT id, row_number() OVER () / ${IDS_PER_ROW} AS part FROM ${schema}.transaction WHERE user_id = $1) t GROUP BY part
UNION ALL SELECT 'unread', id::text FROM ${schema}.notification WHERE user_id = $1 AND status = 'unparsed'
UNION ALL SELECT 'job', job_id::text FROM ${schema}.job WHERE user_id = $1
UNION ALL SELECT 'stream', stream FROM ${schema}.owned_stream WHERE user_id = $1
UNION ALL SELECT 'bank', bank_code FROM ${schema}.transaction_total WHERE user_id = $1 GROUP BY bank_code
UNION ALL SELECT 'parked', stream FROM ${schema}.parked`

type Kind = 'passed' | 'transactions' | 'unread' | 'job' | 'stream' | 'bank' | 'parked'

/** @returns a function that lists the streams of an account, or says why the read models cannot list them */
export const listStreams =
  (database: Queryable, store: EventStore, definition: Definition) =>
  async (userId: number): Promise<Listing> => {
    const { schema, projector } = definition
    const problem = await reasonToRebuild(store, await readCheckpoint(database, schema, projector), definition)
    if (problem !== null) return { unknown: `the read models cannot be used: ${problem}` }
    const rows = await database.query<{ kind: Kind; value: string }>(listing(schema), [userId, projector])
    const values = (wanted: Kind): string[] => rows.filter(({ kind }) => kind === wanted).map(({ value }) => value)
    const [upTo = null] = values('passed')
    if (upTo === null) return { unknown: 'no event has been applied to the read models yet' }
    return {
      upTo,
      transactions: values('transactions').flatMap((ids) => ids.split(' ').map(Number)),
      others: [
        ...values('unread').map((id) => unreadStream(Number(id))),
        ...values('job').map((id) => jobStream(Number(id))),
        ...values('stream'),
      ],
      banks: values('bank'),
      parked: values('parked'),
    }
  }
