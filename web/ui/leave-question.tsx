// Tests: tests/e2e/browser/dashboard.test.ts
import { texts } from '../app/language.ts'
import { leave, stay, wanted } from '../app/leave.ts'
import { Dialog } from './dialog.tsx'

/** Asks whether a half-written form may be lost. */
export const LeaveQuestion = () => {
  const { leave: t } = texts.value.shell
  return (
    <Dialog title={t.title} isOpen={wanted.value !== null} onClose={stay}>
      <p>{t.text}</p>
      <div class="row">
        <button class="button main" type="button" onClick={stay}>
          {t.stay}
        </button>
        <button class="button danger" type="button" onClick={leave}>
          {t.leave}
        </button>
      </div>
    </Dialog>
  )
}
