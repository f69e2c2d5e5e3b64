// Tests: tests/integration/http/export.test.ts
/** Exports transactions for accountants, as a file that is written while it is sent. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { scopeMissing } from '../../../domain/account/api-keys.ts'
import { daysOfMonth } from '../../../domain/time.ts'
import { exportedTransactions } from '../../../projections/transaction/export-queries.ts'
import { COLUMN_NAMES, fieldsOf, isPersonal, USUAL_COLUMNS } from '../../export/columns.ts'
import { readFirst } from '../../export/read-first.ts'
import { exportFile, MEDIA_TYPES } from '../../export/transactions.ts'
import type { ApiContext } from '../context.ts'
import { download } from '../openapi/answers.ts'
import { query } from '../openapi/input.ts'
import type { Guard } from '../middleware/guard.ts'
import { mostOpen } from '../middleware/most-open.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { TransactionExport } from './queries.ts'

/** Most open exports of an account in this process. Each keeps a page of rows in memory until its caller has read the file. */
const MOST_OPEN = 5

export const exportRoutes = (operations: Operations, { database }: ApiParts, signedIn: Guard): void => {
  const { get } = operations.of('Transactions', signedIn)
  const enter = mostOpen(MOST_OPEN, `An account can have ${MOST_OPEN} exports open. Read one to the end first`)

  const exportAll = async (
    context: ApiContext,
    { format = 'csv', columns = USUAL_COLUMNS, month, language, ...filter }: z.infer<typeof TransactionExport>,
  ): Promise<{ type: string; filename: string; body: Readable }> => {
    const { account, scoped_key } = context.state
    const reads = database.of(account.user_id)
    if (scoped_key && columns.some(isPersonal)) throw scopeMissing([])
    enter(context)
    const days = month === undefined ? {} : daysOfMonth(month)
    const pages = exportedTransactions(reads, account.user_id, fieldsOf(columns), { ...filter, ...days })
    return {
      type: MEDIA_TYPES[format],
      filename: `baoco-${month ?? 'transactions'}.${format}`,
      // A failure of the first query is still an answer with its status.
      body: exportFile(await readFirst(pages), { format, columns, language: language ?? null }),
    }
  }

  get(
    '/api/transactions/export',
    'Export transactions as CSV or as a spreadsheet',
    query(TransactionExport),
    refuses('SCOPE_MISSING'),
    download(Object.values(MEDIA_TYPES), `Columns: ${COLUMN_NAMES.join(', ')}. Times are Vietnamese.`),
    exportAll,
  )
}
