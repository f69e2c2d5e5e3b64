// Tests: tests/integration/http/webhooks.test.ts
/** The attempts of a rule (interface, section 4.3). */
import { z } from 'zod'
import { decimal, id, moment } from '../../../domain/fields.ts'
import { LOGS_A_PAGE, type LogRow, logsOfRule } from '../../../projections/attempt/queries.ts'
import type { ApiContext } from '../context.ts'
import { openCursors } from '../openapi/cursors.ts'
import { byCursor, nextCursor, pageOf, pageAsked } from '../openapi/pages.ts'
import type { ApiParts } from '../parts.ts'
import type { Page } from './queries.ts'
import { attempt, presentAttempt, transactionType } from './transactions.ts'

const Log = z
  .strictObject({
    id,
    webhook_rule_id: id,
    transaction_id: id,
    bank_code: z.string(),
    amount: decimal,
    transaction_type: transactionType,
    ...attempt,
    created_at: moment,
  })
  .meta({ id: 'Log' })

const presentLog = (row: LogRow): z.output<typeof Log> => ({
  id: row.id,
  webhook_rule_id: row.rule_id,
  transaction_id: row.transaction_id,
  bank_code: row.bank_code,
  amount: row.amount,
  transaction_type: row.transaction_type,
  ...presentAttempt(row),
  created_at: row.created_at,
})

export const Logs = pageOf(Log, byCursor)

export const logsOf = ({ database, settings }: ApiParts) => {
  const cursors = openCursors(settings.jwtSecret)
  return async (context: ApiContext, rule_id: number, { page, cursor }: z.infer<typeof Page>) => {
    const list = `logs ${rule_id}`
    const asked = pageAsked(cursors, list, { page, cursor })
    const { user_id } = context.state.account
    const { rows, total } = await logsOfRule(database.of(user_id), user_id, rule_id, asked)
    return {
      success: true as const,
      data: rows.map(presentLog),
      total,
      page,
      limit: LOGS_A_PAGE,
      next_cursor: nextCursor(cursors, list, rows, LOGS_A_PAGE),
    }
  }
}
