// Tests: tests/integration/kafka/outage.test.ts
/** Bounded waiting for work that may never end: kafkajs cannot be told to stop trying. */

/** Waits for work to end, with success or failure, but at most this many milliseconds. */
export const endedWithin = async (ms: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  const ended = work.then(
    () => {},
    () => {},
  )
  await Promise.race([ended, tooLong])
  clearTimeout(timer)
}

/**
 * @throws the error of the work, or an error that it was stopped if the signal aborts first. The work itself then continues.
 */
export const unlessAborted = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  let stop = (): void => {}
  const stopped = new Promise<never>((_, reject) => (stop = () => reject(new Error('stopped'))))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
    stopped.catch(() => {})
  }
}
