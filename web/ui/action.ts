// Tests: tests/e2e/browser/dashboard.test.ts
/** A call to the API that a button or a form makes: whether it runs, and how it ended. */
import { useEffect, useState } from 'preact/hooks'
import { askAtOnce, isLoggedOut, logins, queries } from '../app/session.ts'
import { showRefused, takeSubmitted } from '../app/submitted-values.ts'
import { saved } from '../app/typed.ts'

export interface Action<Given extends unknown[], Answer> {
  run(...given: Given): Promise<Answer | undefined>
  isRunning: boolean
  error: unknown
  result: Answer | undefined
  reset(): void
}

/** @param stale  first parts of the query keys that the call makes stale */
export const useAction = <Given extends unknown[], Answer>(
  act: (...given: Given) => Promise<Answer>,
  stale: readonly string[] = [],
): Action<Given, Answer> => {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown; result?: Answer }>({ isRunning: false })
  // Somebody has logged in since then, and may try again.
  useEffect(() => {
    if (isLoggedOut(state.error)) setState({ isRunning: false })
  }, [logins.value])
  const run = async (...given: Given): Promise<Answer | undefined> => {
    const sent = takeSubmitted()
    setState({ isRunning: true })
    try {
      const result = await act(...given)
      saved(sent)
      setState({ isRunning: false, result })
      if (stale.length > 0) await askAtOnce(stale)
      return result
    } catch (error) {
      setState({ isRunning: false, error })
      showRefused(sent)
      if (isLoggedOut(error)) await queries.invalidateQueries({ queryKey: ['account'] })
      return undefined
    }
  }
  return {
    run,
    isRunning: state.isRunning,
    error: state.error,
    result: state.result,
    reset: () => setState({ isRunning: false }),
  }
}
