// Tests: tests/e2e/browser/dashboard.test.ts
/** A setting that is changed at once when its box is ticked. */
import type { ComponentChildren } from 'preact'
import { announce } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { useAction } from './action.ts'
import { ActionProblem, BoxLabel } from './basics.tsx'

interface SwitchProps {
  label: ComponentChildren
  hint?: string
  isOn: boolean
  change: (isOn: boolean) => Promise<unknown>
  /** First parts of the query keys that the change makes stale. */
  stale: readonly string[]
}

export const Switch = ({ label, hint, isOn, change, stale }: SwitchProps) => {
  const action = useAction(change, stale)
  const set = async (isOn: boolean): Promise<void> => {
    if (await action.run(isOn)) announce(texts.value.common.saved)
  }
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          disabled={action.isRunning}
          onChange={(event) => void set(event.currentTarget.checked)}
        />
        <BoxLabel label={label} hint={hint} />
      </label>
      <ActionProblem error={action.error} />
    </>
  )
}
