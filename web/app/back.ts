// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * What the browser's Back does while something lies on top of the page: it closes that, and the page stays. It asks before it leaves a
 * half-written form. Android's Back button does the same.
 *
 * For this the history gets a second entry of the same page, above which Back leads to the page itself. The entry stays when nothing lies
 * on top any more; then Back passes over it.
 */
import { useLayoutEffect } from 'preact/hooks'

const SECOND = { isSecond: true }
const isSecond = (state: unknown): boolean => (state as typeof SECOND | null)?.isSecond === true

/** What Back closes, the uppermost last. */
const layers: (() => void)[] = []
/** Whether the history is, or was last seen, at a second entry, and its address. */
let wasSecond = false
let address = ''

const notice = (): void => {
  wasSecond = isSecond(history.state)
  address = location.href
}

/** The next Back does not leave the page. */
export const holdBack = (): void => {
  if (!isSecond(history.state)) history.pushState(SECOND, '')
  notice()
}

/** Leaves the page as Back would have done. */
export const goBack = (): void => history.go(isSecond(history.state) ? -2 : -1)

/** @param mayLeave  called by Back if nothing lies on the page; false: the page stays */
export const followBack = (mayLeave: () => boolean): void => {
  notice()
  addEventListener('popstate', (event) => {
    const isOwn = wasSecond && !isSecond(event.state) && location.href === address
    notice()
    if (!isOwn) return
    event.stopImmediatePropagation()
    const close = layers.at(-1)
    if (close) {
      holdBack()
      close()
    } else if (mayLeave()) history.back()
  })
}

/** @param close  takes away what is open. Back does this instead of leaving the page */
export const useBackToClose = (isOpen: boolean, close: () => void): void =>
  useLayoutEffect(() => {
    if (!isOpen) return
    layers.push(close)
    holdBack()
    return () => void layers.splice(layers.indexOf(close), 1)
  }, [isOpen])
