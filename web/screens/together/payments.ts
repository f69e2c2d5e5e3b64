// Tests: tests/integration/http/dashboard.test.ts
/** Screens that are used together are one file in the browser. It is smaller than a file for each screen, and one request. */
export { ahead as aheadOfToday, Today } from '../today.tsx'
export { TransactionPage } from '../transaction.tsx'
export { ahead as aheadOfTransactions, Transactions } from '../transactions.tsx'
