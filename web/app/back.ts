// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Handles the browser's Back while something lies on top of the page: Back closes that, and the page stays. It asks before it leaves a
 * half-written form. Android's Back button does the same.
 *
 * For this the history gets a second entry of the same page, above which Back leads to the page itself. The entry stays when nothing lies
 * on top any more; then Back passes over it.
 *
 * A long press on Back can lead over several entries at once. If a form is half-written, the page is put on top again.
 */
import { useLayoutEffect } from 'preact/hooks'

const SECOND = { isSecond: true }
const isSecond = (state: unknown): boolean => (state as typeof SECOND | null)?.isSecond === true

/** The things that Back closes, the uppermost last. */
const layers: (() => void)[] = []
/** Whether the history is, or was last seen, at a second entry, and its address. */
let wasSecond = false
let address = ''

const withoutFragment = (url: string): string => url.split('#')[0]!

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

/**
 * @param isHalfWritten  whether a form of the page is half-written
 * @param ask  called by Back then. The page stays
 */
export const followBack = (isHalfWritten: () => boolean, ask: () => void): void => {
  notice()
  addEventListener('popstate', (event) => {
    const left = address
    const isOwn = wasSecond && !isSecond(event.state) && location.href === left
    const isPassed = wasSecond && withoutFragment(location.href) !== withoutFragment(left) && isHalfWritten()
    if (isPassed) history.pushState(null, '', left)
    notice()
    if (!isOwn && !isPassed) return
    event.stopImmediatePropagation()
    const close = layers.at(-1)
    if (close || isHalfWritten()) holdBack()
    if (close) close()
    else if (isHalfWritten()) ask()
    else history.back()
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
