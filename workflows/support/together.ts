// Tests: tests/unit/workflows/support/together.test.ts

/**
 * Runs parts of some work side by side until each has ended.
 * @throws the first failure, after it has stopped the other parts and all of them have ended
 */
export const together = async (
  signal: AbortSignal,
  parts: readonly ((signal: AbortSignal) => Promise<unknown>)[],
): Promise<void> => {
  const failing = new AbortController()
  const failures: unknown[] = []
  const either = AbortSignal.any([signal, failing.signal])
  const run = async (part: (typeof parts)[number]): Promise<void> => {
    try {
      await part(either)
    } catch (error) {
      failures.push(error)
      failing.abort()
    }
  }
  await Promise.all(parts.map(run))
  if (failures.length > 0) throw failures[0]
}
