// Tests: tests/integration/http/undelivered.test.ts
/** Undelivered transactions by rule and class of error, for an owner who wants to retry a whole group at once. */
import { z } from 'zod'
import { undeliveredGroups, usualDurations } from '../../../projections/job/undelivered-queries.ts'
import { estimatedSeconds } from '../../../workflows/deliver/estimate.ts'
import type { ApiContext } from '../context.ts'
import { data } from '../openapi/answers.ts'
import { query } from '../openapi/input.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { UndeliveredFilter } from './queries.ts'
import { id, moment } from '../../../domain/fields.ts'

const Group = z
  .strictObject({
    rule_id: id,
    rule_name: z.string().nullable().meta({ description: 'null if the rule was deleted.' }),
    status: z.enum(['failed', 'pending']).meta({ description: '`pending`: it waits for its next attempt.' }),
    error: z.string().nullable().meta({
      description:
        'Class of the last error. null before the first attempt: the rule is paused, its endpoint is down, or the monthly quota is used up.',
    }),
    count: z.int().positive(),
    oldest_at: moment.meta({ description: 'When the oldest transaction was captured.' }),
    oldest_transaction_id: id,
    next_attempt_at: moment
      .nullable()
      .meta({ description: 'When the first of them is due. null if all of them failed.' }),
    estimated_seconds: z
      .int()
      .positive()
      .nullable()
      .meta({ description: 'How long a bulk retry takes if the endpoint works. null if the rule was deleted.' }),
  })
  .meta({ id: 'UndeliveredGroup' })

const Undelivered = z
  .strictObject({
    groups: z.array(Group).meta({ description: 'The group with the oldest transaction comes first.' }),
    complete: z.boolean().meta({
      description: 'false if there are too many to count, so only the newest are counted. Choose fewer days.',
    }),
  })
  .meta({ id: 'Undelivered' })

export const undeliveredRoutes = (operations: Operations, { database }: ApiParts, signedIn: Guard): void => {
  const { get } = operations.of('Transactions', signedIn)

  const show = async (context: ApiContext, filter: z.infer<typeof UndeliveredFilter>) => {
    const { user_id, rules } = context.state.account
    const reads = database.of(user_id)
    const { groups, complete } = await undeliveredGroups(reads, user_id, filter)
    const usual = await usualDurations(reads, user_id, [...new Set(groups.map(({ rule_id }) => rule_id))])
    return {
      groups: groups.map((group) => {
        const rule = rules.get(group.rule_id)
        return {
          ...group,
          rule_name: rule?.name ?? null,
          estimated_seconds: rule ? estimatedSeconds(group.count, rule, usual.get(group.rule_id)) : null,
        }
      }),
      complete,
    }
  }

  get(
    '/api/undelivered',
    'List undelivered transactions by rule and class of error',
    query(UndeliveredFilter),
    data(Undelivered),
    show,
  )
}
