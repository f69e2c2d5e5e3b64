/**
 * Records which attempts delivery processes have claimed and not recorded. If a process is killed or frozen now, an endpoint may receive
 * such an attempt once more.
 */
import { openEventStore } from '../../../cmd/process/open-event-store.ts'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { transactionStream, type TransactionEvent } from '../../../domain/transaction/events.ts'
import { eventually } from '../../harness/eventually.ts'
import type { RoleProcess } from '../../harness/role-processes.ts'
import type { Servers } from '../../harness/servers.ts'
import { attemptName, type OpenClaims } from './oracle.ts'

interface Claim {
  transaction_id: number
  rule_id: number
  attempt: number
}

/**
 * The claims that the read models do not show as recorded. They may lag, and a claim may be older than its delivery in them. The streams
 * show which of these claims are recorded.
 */
const CLAIMED = `
  SELECT c.transaction_id, c.rule_id, c.attempt FROM ops.claim c
    LEFT JOIN read_model.delivery d ON d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id
   WHERE c.worker = $1 AND (d.status IS NULL OR (d.status = 'open' AND c.attempt > d.attempt))`

/** The name under which a delivery process claims. The process logs it when it starts. */
export const workerOf = async ({ running }: RoleProcess): Promise<string> => {
  const logged = await eventually(() => /"worker":"([^"]+)".*delivery\.started/.exec(running.output()), {
    what: 'a delivery process that logs its name',
  })
  return logged[1]!
}

export interface ClaimLog {
  all: OpenClaims
  /** Notes the attempts that a worker has now claimed and not recorded. */
  note(worker: string): Promise<void>
  close(): Promise<void>
}

export const openClaimLog = async ({ env, database }: Pick<Servers, 'env' | 'database'>): Promise<ClaimLog> => {
  const store = await openEventStore(readSettings(env), env.DATABASE_URL!)
  const all = new Map<string, number>()
  return {
    all,
    note: async (worker) => {
      // A busy machine may delay a query too long. No other worker takes the claims over that soon.
      const [claims, streams] = await eventually(async () => {
        const claimed = await database.query<Claim>(CLAIMED, [worker])
        const slices = claimed.map(({ transaction_id }) => ({ stream: transactionStream(transaction_id) }))
        return [claimed, await store.read(slices)] as const
      })
      claims.forEach(({ transaction_id, rule_id, attempt }, index) => {
        const events = streams[index] as unknown as TransactionEvent[]
        const isRecorded = events.some(
          ({ type, data }) => type === 'WebhookAttempted' && data.rule_id === rule_id && data.attempt === attempt,
        )
        const name = attemptName(transaction_id, rule_id, attempt)
        if (!isRecorded) all.set(name, (all.get(name) ?? 0) + 1)
      })
    },
    close: () => store.close(),
  }
}
