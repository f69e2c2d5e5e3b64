import { expect } from 'chai'
import type { Database } from '../../../../adapters/database/database.ts'
import { seldom, silent } from '../../../../adapters/telemetry/log-lines.ts'
import { openLog } from '../../../../cmd/process/open-log.ts'
import type { RememberingStore } from '../../../../adapters/event-store/history.ts'

/** An event of another program. */
const foreign = (id: number) => ({
  ...{ id: String(id), type: 'Foreign', stream: `transaction-${id}`, revision: 0, checkpoint: String(id) },
  ...{ data: {}, metadata: { user_id: null } },
})

describe('the log from which a process delivers', () => {
  it('names each event that it leaves out', async () => {
    const lines: object[] = []
    const store = {
      subscribe: async function* () {
        yield { events: [foreign(1), foreign(2)], checkpoint: '2' }
      },
    } as unknown as RememberingStore
    const database = { query: async (sql: string) => (sql.startsWith('SELECT') ? [] : [{}]) } as unknown as Database
    const log = seldom({ ...silent, warn: (fields, what) => lines.push({ ...fields, what }) }, () => 0)
    await openLog({ topic: null, store, database, log }).consume('g', async () => {}, new AbortController().signal)
    expect(lines).to.deep.equal(
      [1, 2].map((id) => ({
        reason: `event without a user or transaction: transaction-${id}, revision 0`,
        what: 'log.left_out',
      })),
    )
  })
})
