// Tests: tests/e2e/browser/dashboard.test.ts
/** Tiếng Việt, the first language of the page. Its shape is the type of every other catalogue. */
import { common, entry, shell } from './vi/shell.ts'
import { today } from './vi/today.ts'
import { transaction, transactions } from './vi/transactions.ts'

export const vi = { shell, common, entry, today, transactions, transaction }

export type Messages = typeof vi
