// Tests: tests/integration/store-migration/commands.test.ts
/** Reports progress, at most once per interval. */
const REPORT_EVERY_MS = 1_000

/** @returns a function that reports what it gets, unless the last report was less than an interval ago */
export const nowAndThen = <Progress>(report: (progress: Progress) => void) => {
  let reportedAt = performance.now()
  return (progress: Progress): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = performance.now()
    report(progress)
  }
}

/** Prints the number of events to standard error. @param done  the verb in the line: `written` or `stored` */
export const reportEventCount = (done: string) =>
  nowAndThen((events: number) => console.error(`${events} events ${done}`))
