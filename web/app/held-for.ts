/** Why a transaction calls no webhook although it may fit one. */
import type { HistoryLine } from '../api/types.ts'

/** Each of them matches the transaction with the webhooks, so only the last one counts. */
const MATCHES: ReadonlySet<string> = new Set(['TransactionCaptured', 'TransactionCompleted', 'WebhookRetryRequested'])

/** @param history  oldest first @returns undefined if it is not held back, or no longer is */
export const heldFor = (history: readonly HistoryLine[]): HistoryLine['facts']['held'] =>
  history.findLast(({ event }) => MATCHES.has(event))?.facts.held
