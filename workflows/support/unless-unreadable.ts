// Tests: tests/unit/workflows/support/unless-unreadable.test.ts
/** For work on many streams: one stream that cannot be read must not stop the work on the others. */
import { UnreadableEvent } from '../../domain/parse-event.ts'

/** @returns undefined if the work needs an event that cannot be read */
export const unlessUnreadable = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined
    throw error
  }
}
