// Tests: tests/chaos/store-away.test.ts
/** A scrape of the metrics never waits long for a server. */
import { within } from '../system/within.ts'

/** Milliseconds. */
const PATIENCE_MS = 2_000

/** @returns what was asked for; null if it failed or did not come in time */
export const inTime = <Result>(asked: Promise<Result>): Promise<Result | null> =>
  within(PATIENCE_MS, asked, () => new Error('there was no answer in time')).catch(() => null)
