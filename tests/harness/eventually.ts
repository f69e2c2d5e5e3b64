/** Waits for a condition, never for a fixed time: it checks repeatedly until the condition holds, and fails with the last result. */

const PAUSE_MS = 20

type Truthy<Answer> = Exclude<Answer, false | null | undefined | 0 | ''>

/**
 * @param ask throws or returns a falsy value while the condition does not hold
 * @returns the value when the condition held
 */
export const eventually = async <Answer>(
  ask: () => Answer | Promise<Answer>,
  { within = 30_000, what = 'the condition' } = {},
): Promise<Truthy<Answer>> => {
  const deadline = performance.now() + within
  let last: unknown
  for (;;) {
    try {
      last = await ask()
      if (last) return last as Truthy<Answer>
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) {
      const seen = last instanceof Error ? last.message : JSON.stringify(last)
      throw new Error(`${what} did not come true within ${within} ms; last seen: ${seen}`)
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
