/** How a call ends, for tests in which it may fail. */

/** The error that a call fails with; null if it succeeds. */
export const errorOf = (call: Promise<unknown>): Promise<Error | null> =>
  call.then(
    () => null,
    (error: Error) => error,
  )

export const succeeds = async (call: Promise<unknown>): Promise<boolean> => (await errorOf(call)) === null
