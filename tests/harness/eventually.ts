/** Waits for a condition, never for a fixed time: it checks repeatedly until the condition holds, and fails with the last result. */

/** Checks follow each other quickly at first, then more slowly: the pause is a tenth of the time waited so far, between these limits. */
const [SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 150]

type Truthy<Answer> = Exclude<Answer, false | null | undefined | 0 | ''>

/**
 * @param ask throws or returns a falsy value while the condition does not hold
 * @returns the value when the condition held
 */
export const eventually = async <Answer>(
  ask: () => Answer | Promise<Answer>,
  { within = 60_000, what = 'the condition' } = {},
): Promise<Truthy<Answer>> => {
  const began = performance.now()
  let last: unknown
  for (;;) {
    try {
      last = await ask()
      if (last) return last as Truthy<Answer>
    } catch (error) {
      last = error
    }
    const waited = performance.now() - began
    if (waited > within) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last)
      throw new Error(`${what} did not come true within ${within} ms; last seen: ${seen}`)
    }
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waited / 10))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
