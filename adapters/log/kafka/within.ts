/** Waiting for what may never come: kafkajs has no way to be told to stop trying. */

/** Waits for something to end, well or badly, but only so long (milliseconds). */
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

/** @throws what the work throws, or that it was stopped when the signal aborts first; the work then goes on by itself */
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
