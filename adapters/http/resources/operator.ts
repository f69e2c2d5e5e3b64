// Tests: tests/integration/openapi/authorisation.test.ts
/** All accounts and the status of the installation, for the operator. Everybody else receives 404. */
import { z } from 'zod'
import { plan } from '../../../domain/account/events.ts'
import { listAccounts } from '../../../projections/account/queries.ts'
import { unseenDeliveries } from '../../../projections/delivery/unseen-queries.ts'
import { installationStatus } from '../../postgres/ops/installation-status.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../openapi/operation.ts'
import type { Operations } from '../openapi/operations.ts'
import { operatorOnly } from '../middleware/operator-only.ts'
import type { ApiParts } from '../parts.ts'

const moment = z.iso.datetime()
const count = z.int().min(0)

const Account = z
  .strictObject({
    id: z.int().positive(),
    email: z.string(),
    plan,
    plan_expires_at: moment.nullable(),
    locked: z.boolean(),
    operator: z.boolean(),
  })
  .meta({ id: 'OperatorAccount' })

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
    breakers: z.array(z.strictObject({ user_id: z.int().positive(), endpoint: z.string(), since: moment })).meta({
      description: 'Endpoints with an open circuit breaker, the first 1,000.',
    }),
    parked: count.meta({ description: 'Streams with an event that cannot be applied: `baoco parked list`.' }),
    overdue: count.meta({ description: 'Deliveries that are more than 30 seconds overdue without a reason to wait.' }),
  })
  .meta({ id: 'OperatorStatus' })

export const operatorRoutes = (operations: Operations, { database, store, clock }: ApiParts, signedIn: Guard): void => {
  const { get } = operations.of('The operator')

  const accounts = async () =>
    (await listAccounts(database)).map(({ user_id: id, ...row }) => ({ id, ...row, plan: plan.parse(row.plan) }))

  const unseen = () => unseenDeliveries(database, store, clock.now())

  const status = async () => {
    const [end, { projectors, ...rest }] = await Promise.all([store.end(), installationStatus(database, unseen)])
    const isBehind = (passed: string | null) => end !== null && (passed === null || store.isAfter(end, passed))
    const lag = projectors.map(({ projector, passed, last_event_at }) => ({
      projector,
      behind: isBehind(passed),
      last_event_at,
    }))
    return { lag, ...rest }
  }

  get('/api/operator/accounts', 'List accounts', signedIn, operatorOnly, data(z.array(Account)), accounts)
  get('/api/operator/status', 'Get the status of the installation', signedIn, operatorOnly, data(Status), status)
}
