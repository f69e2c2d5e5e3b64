// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * What the browser's Back does while something lies on top of the page: it closes that, and the page stays. It asks before it leaves a
 * half-written form. Android's Back button does the same.
 *
 * For this the history gets a second entry of the same page, above which Back leads to the page itself. Once nothing lies on top any more,
 * the page goes back to its own entry, so that one Back leaves it, also if it is the first of its tab. Where that is not possible, the second
 * entry stays, and Back passes over it.
 *
 * A long press on Back can lead over several entries at once. If a form is half-written, the page is put on top again.
 */
import { useLayoutEffect } from 'preact/hooks'

const SECOND = { isSecond: true }
const isSecond = (state: unknown): boolean => (state as typeof SECOND | null)?.isSecond === true

/** What Back closes, the uppermost last. */
const layers: (() => void)[] = []
/** Whether the history is, or was last seen, at a second entry, its address, and where the page was scrolled when it was made. */
let wasSecond = false
let address = ''
let scrolledTo: number | null = null
/** A step that the page itself takes: to its own entry, or away. */
let step: 'own' | 'away' | null = null

const withoutPlace = (url: string): string => url.split('#')[0]!

const notice = (): void => {
  wasSecond = isSecond(history.state)
  address = location.href
}

/** The next Back does not leave the page. */
export const holdBack = (): void => {
  if (!isSecond(history.state)) {
    scrolledTo = scrollY
    history.pushState(SECOND, '')
  }
  notice()
}

/** Leaves the page as Back would have done. */
export const goBack = (): void => {
  step = 'away'
  history.go(isSecond(history.state) ? -2 : -1)
}

let isHalfWritten = (): boolean => false

/** The address and the place on the page come back with the entry, so they must not have changed. */
const letGo = (): void => {
  if (step || !isSecond(history.state) || layers.length > 0 || isHalfWritten()) return
  if (location.href !== address || scrollY !== scrolledTo) return
  step = 'own'
  history.back()
}

/**
 * @param isHeld  whether a form is half-written
 * @param ask  called by Back then. The page stays
 */
export const followBack = (isHeld: () => boolean, ask: () => void): void => {
  isHalfWritten = isHeld
  notice()
  // A step back would end the navigation.
  addEventListener('beforeunload', () => (step = 'away'))
  addEventListener('popstate', (event) => {
    const [taken, left] = [step, address]
    step = null
    const isOwn = wasSecond && !isSecond(event.state) && location.href === left
    const isPassed = wasSecond && withoutPlace(location.href) !== withoutPlace(left) && isHeld()
    if (isPassed) history.pushState(null, '', left)
    notice()
    if (!isOwn && !isPassed) return
    event.stopImmediatePropagation()
    const close = layers.at(-1)
    // Something may have been opened during the step.
    if (close || isHeld()) holdBack()
    if (taken === 'own') return
    if (close) close()
    else if (isHeld()) ask()
    else history.back()
  })
}

/** @param close  takes away what is open. Back does this instead of leaving the page */
export const useBackToClose = (isOpen: boolean, close: () => void): void =>
  useLayoutEffect(() => {
    if (!isOpen) return
    layers.push(close)
    holdBack()
    return () => {
      layers.splice(layers.indexOf(close), 1)
      // First comes what closed it: it may lead to another screen, or open something else.
      setTimeout(letGo)
    }
  }, [isOpen])
