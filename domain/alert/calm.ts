// Tests: tests/unit/workflows/scheduled/watch-endpoints.test.ts
/**
 * How long an endpoint must work again before its alert ends. An endpoint that fails and works by turns would otherwise cause an
 * alert every minute. The time doubles with each alert of a day, so an endpoint that flaps at any pace causes few.
 */
import { HOUR_MS } from '../time.ts'

const FIRST_MS = 10 * 60_000
const LONGEST_MS = 6 * HOUR_MS

/** @param alerts  alerts about the endpoint in the last day, with the one that lasts · @returns milliseconds */
export const calmNeeded = (alerts: number): number => Math.min(FIRST_MS * 2 ** Math.max(0, alerts - 1), LONGEST_MS)
