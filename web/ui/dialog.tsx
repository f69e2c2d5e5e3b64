// Tests: tests/e2e/browser/dashboard.test.ts
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { announcement } from '../app/announce.ts'
import { useBackToClose } from '../app/back.ts'
import { marked } from '../app/hidden-characters.ts'
import { closing } from '../app/leave.ts'
import { hasUnsaved } from '../app/typed.ts'
import { Stranger } from './basics.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ComponentChildren
}

/**
 * The browser's modal dialog: it keeps the focus inside, closes by Escape or Back, and gives the focus back. It asks first if a form in it is
 * half-written.
 */
export const Dialog = ({ title, isOpen, onClose, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  const close = (): void => closing(ref.current!, onClose)
  useBackToClose(isOpen, close)
  // Before the next key: a dialog that is still there would catch it.
  useLayoutEffect(() => {
    if (isOpen && !ref.current?.open) ref.current?.showModal()
    if (!isOpen) ref.current?.close()
  }, [isOpen])
  return (
    // `cancel` comes before the focus is given back, `close` later: a key pressed in between would open a dialog that then closes at once.
    <dialog
      ref={ref}
      aria-label={marked(title)}
      onCancel={(event) => {
        if (hasUnsaved(event.currentTarget)) event.preventDefault()
        close()
      }}
      // A browser may close it all the same.
      onClose={(event) => {
        if (isOpen && hasUnsaved(event.currentTarget)) event.currentTarget.showModal()
      }}
    >
      {isOpen && (
        <div class="stack">
          <h2>
            <Stranger text={title} />
          </h2>
          {children}
          {/* Screen readers do not hear what is outside of a modal dialog. */}
          <p class="hidden-text" role="status">
            {announcement.value}
          </p>
        </div>
      )}
    </dialog>
  )
}
