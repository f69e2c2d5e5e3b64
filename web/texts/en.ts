// Tests: tests/e2e/browser/dashboard.test.ts
/** English. */
import { common, entry, shell } from './en/shell.ts'
import { today } from './en/today.ts'
import { transaction, transactions } from './en/transactions.ts'
import { settings, unread } from './en/settings.ts'
import { sources } from './en/sources.ts'
import { problems } from './en/problems.ts'
import { reasons, tryIt } from './en/try-it.ts'
import { editor, webhook, webhooks } from './en/webhooks.ts'
import type { Messages } from './vi.ts'

export const en = {
  shell,
  common,
  entry,
  today,
  transactions,
  transaction,
  webhooks,
  webhook,
  editor,
  tryIt,
  reasons,
  problems,
  sources,
  unread,
  settings,
} satisfies Messages
