// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers, as far as pages show them. `/docs` lists every field. */
export type * from './types/account.ts'
export type * from './types/operator.ts'
export type * from './types/plan.ts'
export type * from './types/source.ts'
export type * from './types/transaction.ts'
export type * from './types/webhook.ts'
