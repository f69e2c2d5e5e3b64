// Tests: tests/e2e/browser/dashboard.test.ts
/** English. */
import { common, entry, shell } from './en/shell.ts'
import { today } from './en/today.ts'
import { transaction, transactions } from './en/transactions.ts'
import type { Messages } from './vi.ts'

export const en = { shell, common, entry, today, transactions, transaction } satisfies Messages
