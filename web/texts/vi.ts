// Tests: tests/e2e/browser/dashboard.test.ts
/** Tiếng Việt, the first language of the page. Its shape is the type of every other catalogue. */
import { common, entry, shell } from './vi/shell.ts'
import { counter } from './vi/counter.ts'
import { today } from './vi/today.ts'
import { transaction, transactions } from './vi/transactions.ts'
import { settings, unread } from './vi/settings.ts'
import { exports } from './vi/exports.ts'
import { operator } from './vi/operator.ts'
import { plan } from './vi/plan.ts'
import { sources } from './vi/sources.ts'
import { problems } from './vi/problems.ts'
import { reasons, tryIt } from './vi/try-it.ts'
import { undelivered } from './vi/undelivered.ts'
import { editor, webhook, webhooks } from './vi/webhooks.ts'

export const vi = {
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
}

export type Messages = typeof vi
