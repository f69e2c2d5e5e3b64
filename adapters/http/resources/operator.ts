// Tests: tests/integration/http/stats.test.ts
/** All accounts and the status of the installation, for the operator. Everybody else receives 404. */
import { z } from 'zod'
import { plan } from '../../../domain/account/events.ts'
import type { OwnedDisk } from '../../../domain/disk.ts'
import { ACCOUNTS_A_PAGE, listAccounts } from '../../../projections/account/queries.ts'
import { unseenDeliveries } from '../../../projections/delivery/unseen-queries.ts'
import { heldLeases, isOfMailbox } from '../../database/lease.ts'
import { presentProcesses } from '../../database/presence.ts'
import { installationStatus } from '../../postgres/ops/installation-status.ts'
import { lastAudit } from '../../postgres/ops/last-audit.ts'
import { differingClocks } from '../../postgres/ops/process-clocks.ts'
import { serverStatus } from '../../postgres/ops/server-status.ts'
import { VERSION } from '../../system/version.ts'
import type { ApiContext } from '../context.ts'
import { data, whole } from '../openapi/answers.ts'
import { openCursors } from '../openapi/cursors.ts'
import { query } from '../openapi/input.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Operations } from '../openapi/operations.ts'
import { byCursor, pageOf } from '../openapi/pages.ts'
import { operatorOnly } from '../middleware/operator-only.ts'
import type { ApiParts } from '../parts.ts'
import { LowDisk, lowDisks } from './low-disks.ts'
import { Page } from './queries.ts'
import { count, id, moment } from '../../../domain/fields.ts'

const Account = z
  .strictObject({
    id,
    email: z.string(),
    plan,
    plan_expires_at: moment.nullable(),
    locked: z.boolean(),
    operator: z.boolean(),
  })
  .meta({ id: 'OperatorAccount' })

const Accounts = pageOf(Account, byCursor)

/** The name of the list, for its cursors. */
const ACCOUNTS = 'accounts'

const Status = z
  .strictObject({
    lag: z.array(
      z.strictObject({
        projector: z.string(),
        behind: z.boolean().meta({ description: 'Whether there are events that are not applied yet.' }),
        last_event_at: moment.nullable(),
      }),
    ),
    lanes: z.array(z.strictObject({ lane: z.string(), open: count, due: count })),
    breakers: z.array(z.strictObject({ user_id: id, endpoint: z.string(), since: moment })).meta({
      description: 'Endpoints with an open circuit breaker, the first 1,000.',
    }),
    parked: count.meta({ description: 'Streams with an event that cannot be applied: `baoco parked list`.' }),
    overdue: count.meta({ description: 'Deliveries that are more than 30 seconds overdue without a reason to wait.' }),
    processes: z
      .array(
        z.strictObject({
          name: z.string(),
          version: z.string().nullable().meta({ description: 'null if the process does not report it.' }),
          since: moment.nullable(),
          address: z.string().nullable(),
        }),
      )
      .meta({
        description:
          'The running processes, such as `baoco (deliver)`. `address` is null for a process on a socket. Both it and `since` are null if the process logs in to Postgres as another role.',
      }),
    clocks: z.array(z.strictObject({ process: z.string(), ahead_seconds: z.number() })).meta({
      description: "Processes whose clock differs by 2 seconds or more from the database's. Negative: it is behind.",
    }),
    leases: z.array(z.strictObject({ name: z.string(), process: z.string().nullable(), since: moment })).meta({
      description: 'Work that only one process does at a time, and which process does it. Mailboxes are not listed.',
    }),
    mailboxes: count.meta({ description: 'Number of mailboxes that are being read.' }),
    versions: z.strictObject({
      baoco: z.string(),
      postgres: z.string(),
      tables: z.string().meta({ description: 'The newest migration.' }),
      node: z.string().meta({ description: 'Version of Node.js in the process that answers.' }),
    }),
    disk: z.strictObject({
      database_bytes: count,
      schemas: z.array(z.strictObject({ name: z.string(), bytes: count })),
      free_bytes: count
        .nullable()
        .meta({ description: 'Free on the disk of the bundled Postgres; null if Postgres runs elsewhere.' }),
      servers: z
        .array(
          z.strictObject({
            server: z.enum(['postgres', 'event_store']),
            place: z.string().nullable().meta({ description: 'Where the server says that its disk is.' }),
            free_bytes: count,
            size_bytes: count,
          }),
        )
        .meta({
          description: 'The disks of your own servers, measured within the last minute, as far as they can be.',
        }),
      low: z
        .array(LowDisk)
        .meta({ description: 'The disks that are full, or have so little free space that the operator is alerted.' }),
    }),
    audit: z
      .strictObject({
        ended_at: moment,
        events: count,
        transactions: count,
        faults: count.meta({
          description: 'Faults that this audit and earlier ones found, since the last full audit.',
        }),
        whole_at: moment.meta({
          description:
            'When the last audit of everything ended. If it is earlier than `ended_at`, the last audit had `--since-last`.',
        }),
      })
      .nullable()
      .meta({ description: 'The last `baoco audit`; null if there was none.' }),
  })
  .meta({ id: 'OperatorStatus' })

const shown = ({ of, space: { free, size }, place }: OwnedDisk) => ({
  server: of === 'event_store' ? ('event_store' as const) : ('postgres' as const),
  place,
  free_bytes: Math.round(free),
  size_bytes: Math.round(size),
})

export const operatorRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { database, store, clock, disk: ownDisk, serverDisks, settings } = parts
  const { get } = operations.of('The operator', signedIn, operatorOnly)

  const cursors = openCursors(settings.jwtSecret)

  const accounts = async (context: ApiContext, { page, cursor }: z.output<typeof Page>) => {
    const after = cursor === undefined ? null : cursors.readPair(ACCOUNTS, cursor)[1]
    const reads = database.of(context.state.account.user_id)
    const { rows, total } = await listAccounts(reads, after === null ? { page } : { after })
    const last = rows.length < ACCOUNTS_A_PAGE ? undefined : rows.at(-1)
    return {
      success: true as const,
      data: rows.map(({ user_id: id, ...row }) => ({ id, ...row, plan: plan.parse(row.plan) })),
      total,
      page,
      limit: ACCOUNTS_A_PAGE,
      next_cursor: last ? cursors.writePair(ACCOUNTS, [0, last.user_id]) : null,
    }
  }

  const status = async (context: ApiContext) => {
    const reads = database.of(context.state.account.user_id)
    const unseen = () => unseenDeliveries(reads, store, clock.now())
    const [end, { projectors, ...rest }, processes, leases, server, audit, disks, clocks] = await Promise.all([
      store.end(),
      installationStatus(reads, unseen),
      presentProcesses(reads),
      heldLeases(reads),
      serverStatus(reads),
      lastAudit(reads),
      serverDisks.measured(),
      differingClocks(reads),
    ])
    const isBehind = (passed: string | null) => end !== null && (passed === null || store.isAfter(end, passed))
    const lag = projectors.map(({ projector, passed, last_event_at }) => ({
      projector,
      behind: isBehind(passed),
      last_event_at,
    }))
    const { postgres, tables, ...disk } = server
    const space = ownDisk.space()
    const every: OwnedDisk[] = [...(space ? [{ of: 'data_folder' as const, space, place: null }] : []), ...disks]
    const ofMailboxes = leases.filter(isOfMailbox)
    return {
      lag,
      ...rest,
      processes,
      clocks: clocks.map(({ process, ahead_ms }) => ({ process, ahead_seconds: ahead_ms / 1_000 })),
      leases: leases.filter((lease) => !isOfMailbox(lease)),
      mailboxes: ofMailboxes.length,
      versions: { baoco: VERSION, postgres, tables, node: process.versions.node },
      disk: {
        ...disk,
        free_bytes: space?.free ?? null,
        servers: disks.map(shown),
        low: lowDisks(every, parts),
      },
      audit,
    }
  }

  get('/api/operator/accounts', 'List accounts', query(Page), whole(Accounts), accounts)
  get('/api/operator/status', 'Get the status of the installation', data(Status), status)
}
