// Tests: tests/unit/workflows/deliver/worker-end.test.ts
/** Bounded waiting, for a stop that no server may hold up. */

/** Waits for work to end, with success or failure, but at most this many milliseconds. The work itself is not ended. */
export const endedWithin = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  const ended = work.then(
    () => {},
    () => {},
  )
  await Promise.race([ended, tooLong])
  // Otherwise it would keep the process running.
  clearTimeout(timer)
}
