// Tests: tests/integration/http/stats.test.ts
/** Statistics of an account: credits, debits and outcomes per day and bank, and the performance of each rule's endpoint. */
import { z } from 'zod'
import { invalid } from '../../../domain/account/refusals.ts'
import { DAY_MS, HOUR_MS, endOfDay, startOfDay, vietnamDay } from '../../../domain/time.ts'
import { statisticsByDay, statisticsByRule, statisticsByRuleAndHour } from '../../../projections/counts/queries.ts'
import type { ApiContext } from '../context.ts'
import { query } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { StatsHours, StatsRange } from './queries.ts'
import { count, decimal, id, moment } from '../../../domain/fields.ts'

const LONGEST_DAYS = 400
/** The default range, including today. */
const USUAL_DAYS = 30
const USUAL_HOURS = 24
/** Postgres has no year 0, in which the first Vietnamese day begins by UTC. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')

const milliseconds = z.int().min(0).nullable()

const ruleFigures = {
  id,
  attempts: count,
  success_rate: z.number().min(0).max(1).nullable().meta({ description: 'null if there was no attempt.' }),
  p50_ms: milliseconds,
  p95_ms: milliseconds,
  last_error: z.string().nullable(),
}

const RuleStats = z.strictObject(ruleFigures).meta({ id: 'RuleStats' })

const HourStats = z
  .strictObject({
    from: moment.meta({ description: 'The start of the hour.' }),
    delivered: count.nullable().meta({ description: 'null if the rule has more than 10,000 newer attempts.' }),
    failed: count
      .nullable()
      .meta({ description: 'null as for `delivered`. An attempt counts even if it is repeated later.' }),
  })
  .meta({ id: 'HourStats' })

const RuleStatsByHour = z
  .strictObject({
    ...ruleFigures,
    hours: z.array(HourStats).meta({ description: 'One item per hour, the oldest first. The last hour ends now.' }),
  })
  .meta({ id: 'RuleStatsByHour' })

const Stats = z
  .strictObject({
    days: z.array(
      z.strictObject({
        date: z.iso.date(),
        bank_code: z.string(),
        currency: z.string(),
        credit: decimal,
        debit: decimal,
        count,
        success: count,
        failed: count,
      }),
    ),
    rules: z.array(RuleStats),
  })
  .meta({ id: 'Stats' })

export const statsRoutes = (operations: Operations, { clock, database }: ApiParts, signedIn: Guard): void => {
  const { get } = operations.of('Numbers', signedIn)

  const show = async (context: ApiContext, given: z.infer<typeof StatsRange>) => {
    const { user_id } = context.state.account
    // `StatsRange` has accepted only days that exist.
    const to = endOfDay(given.to ?? vietnamDay(clock.now()))!
    const usual = new Date(to.getTime() - USUAL_DAYS * DAY_MS)
    const start = given.from === undefined ? usual : startOfDay(given.from)!
    const from = start < EARLIEST ? EARLIEST : start
    if (to.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS)
      throw invalid({ path: 'from', message: `The range must not exceed ${LONGEST_DAYS} days.` })
    const [days, rules] = await Promise.all([
      statisticsByDay(database.of(user_id), user_id, from, to),
      statisticsByRule(database.of(user_id), user_id, from, to),
    ])
    return { days, rules }
  }

  const showRules = (context: ApiContext, { hours = USUAL_HOURS }: z.infer<typeof StatsHours>) => {
    const to = clock.now()
    const from = new Date(to.getTime() - hours * HOUR_MS)
    const { user_id } = context.state.account
    return statisticsByRuleAndHour(database.of(user_id), user_id, from, to)
  }

  get('/api/stats', 'Get statistics by day, bank and rule', query(StatsRange), data(Stats), show)
  get(
    '/api/stats/rules',
    'Get statistics by rule for the most recent hours',
    query(StatsHours),
    data(z.array(RuleStatsByHour)),
    showRules,
  )
}
