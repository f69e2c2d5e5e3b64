// Tests: tests/e2e/browser/dashboard.test.ts
/** A button whose act is done only after a question. */
import { useState } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { useAction } from './action.ts'
import { ActionProblem } from './basics.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  button: string
  /** For screen readers, if the button's text does not say what it acts on. */
  label?: string
  title: string
  text: string
  act: () => Promise<unknown>
  /** First parts of the query keys that the act makes stale. */
  stale: readonly string[]
  done: string
  /** Runs at the end, such as a change of the page. */
  after?: () => void
  isDangerous?: boolean
}

export const Confirm = ({ button, label, title, text, act, stale, done, after, isDangerous = true }: ConfirmProps) => {
  const [isAsking, ask] = useState(false)
  const action = useAction(act, stale)
  const kind = isDangerous ? 'danger' : 'main'
  const confirm = async (): Promise<void> => {
    if (!(await action.run())) return
    ask(false)
    announce(done)
    after?.()
  }
  return (
    <>
      <button
        class={isDangerous ? 'button danger' : 'button'}
        type="button"
        aria-label={label}
        onClick={() => {
          action.reset()
          ask(true)
        }}
      >
        {button}
      </button>
      <Dialog title={title} isOpen={isAsking} onClose={() => ask(false)}>
        <p>{text}</p>
        <ActionProblem error={action.error} />
        <div class="row">
          <button class={`button ${kind}`} type="button" disabled={action.isRunning} onClick={() => void confirm()}>
            {button}
          </button>
          <button class="button" type="button" onClick={() => ask(false)}>
            {texts.value.common.cancel}
          </button>
        </div>
      </Dialog>
    </>
  )
}
