// Tests: tests/integration/store-migration/commands.test.ts
/** Prints the number of events to standard error, at most once per interval. */
const REPORT_EVERY_MS = 1_000

/** @param done  the verb in the line: `written` or `stored` */
export const reportEventCount = (done: string) => {
  let reportedAt = performance.now()
  return (events: number): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    console.error(`${events} events ${done}`)
  }
}
