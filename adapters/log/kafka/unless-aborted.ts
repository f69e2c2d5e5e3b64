// Tests: tests/integration/kafka/outage.test.ts
/**
 * Waits for work that may never end: nothing ends the retries of kafkajs.
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
