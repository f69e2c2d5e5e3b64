/** Why a transaction calls no webhook although it may fit one. */
import type { HistoryLine } from '../api/types.ts'

/** Each of them matches the transaction with the webhooks, so only the last one counts. */
const MATCHES: ReadonlySet<string> = new Set(['TransactionCaptured', 'TransactionCompleted', 'WebhookRetryRequested'])

const lastMatch = (history: readonly HistoryLine[]): HistoryLine['facts'] =>
  history.findLast(({ event }) => MATCHES.has(event))?.facts ?? {}

/** @param history  oldest first @returns undefined if it is not held back, or no longer is */
export const heldFor = (history: readonly HistoryLine[]): HistoryLine['facts']['held'] => lastMatch(history).held

/** The webhooks that it is for. @param history  oldest first */
export const matchedRules = (history: readonly HistoryLine[]): readonly number[] => lastMatch(history).rules ?? []

/** Whether its text says that the money came back, and nobody has sent it by hand since. @param history  oldest first */
export const hasComeBack = (history: readonly HistoryLine[]): boolean => lastMatch(history).came_back === true
