// Tests: tests/e2e/browser/dashboard.test.ts
/** The menu of a phone's bar. Safari knows popovers since version 17: before, it is an element that is hidden or not. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useBackToClose } from '../app/back.ts'
import { texts } from '../app/language.ts'

interface MenuProps {
  /** The screen of the address is in the menu. */
  isCurrent: boolean
  children: ComponentChildren
}

export const Menu = ({ isCurrent, children }: MenuProps) => {
  const menu = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const { path } = useLocation()
  const hasPopovers = 'popover' in HTMLElement.prototype
  const close = (): void => {
    menu.current?.hidePopover?.()
    setOpen(false)
  }
  useEffect(close, [path])
  useBackToClose(isOpen, close)
  // Before the next tap.
  useLayoutEffect(() => {
    if (!isOpen || hasPopovers) return
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && !menu.current?.contains(target)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  return (
    <div class="more">
      <button
        type="button"
        class={isCurrent ? 'current' : undefined}
        {...(hasPopovers ? { popovertarget: 'menu' } : { onClick: () => setOpen(true), 'aria-expanded': isOpen })}
      >
        {texts.value.shell.menu}
      </button>
      <div
        class="menu"
        id="menu"
        ref={menu}
        {...(hasPopovers ? { popover: 'auto' } : { hidden: !isOpen })}
        onBeforeToggle={(event) => setOpen(event.newState === 'open')}
      >
        {children}
      </div>
    </div>
  )
}
