// Tests: tests/e2e/browser/dashboard.test.ts
/** English. */
import { common, entry, shell } from './en/shell.ts'
import { counter } from './en/counter.ts'
import { today } from './en/today.ts'
import { transaction, transactions } from './en/transactions.ts'
import { settings, unread } from './en/settings.ts'
import { exports } from './en/exports.ts'
import { operator } from './en/operator.ts'
import { plan } from './en/plan.ts'
import { sources } from './en/sources.ts'
import { problems } from './en/problems.ts'
import { reasons, tryIt } from './en/try-it.ts'
import { undelivered } from './en/undelivered.ts'
import { editor, webhook, webhooks } from './en/webhooks.ts'
import type { Messages } from './vi.ts'

export const en = {
  shell,
  common,
  entry,
  today,
  transactions,
  transaction,
  undelivered,
  webhooks,
  webhook,
  editor,
  tryIt,
  reasons,
  problems,
  sources,
  unread,
  exports,
  operator,
  settings,
  plan,
  counter,
} satisfies Messages
