// Tests: tests/e2e/browser/accessible.test.ts
/**
 * Keeps the keyboard's place. An act often removes or disables the button that was pressed: a line is deleted, a question is answered, a
 * button of a running call is disabled. Browsers then move the focus to the page itself, and a user of the keyboard begins again at the
 * top. Here it goes back to the button as soon as that can be pressed again, or to the heading of what it was part of. Somebody who leaves
 * an element by themselves is not brought back to it.
 */

/** The element with the focus and what surrounds it, from the inside. What had the focus before a dialog stands for the dialog's surroundings. */
let trail: Element[] = []
/** It was disabled while it had the focus. */
let waiting: Element | undefined

const pathOf = (element: Element): Element[] => {
  const path: Element[] = []
  for (let each: Element | null = element; each && each !== document.body; each = each.parentElement) path.push(each)
  return path
}

const remember = (element: Element): void => {
  const path = pathOf(element)
  const dialog = path.findIndex((each) => each instanceof HTMLDialogElement)
  const before = dialog < 0 ? [] : trail.filter((each) => !path[dialog]!.contains(each))
  trail = [...path.slice(0, dialog + 1), ...before, ...path.slice(dialog + 1)]
  waiting = undefined
}

const isLost = (): boolean => document.activeElement === document.body || document.activeElement === null
const isShown = (element: Element): boolean => element.getClientRects().length > 0

/** @returns whether it has the focus now */
const focus = (element: HTMLElement): boolean => {
  element.focus({ preventScroll: true })
  if (!isLost()) return true
  element.tabIndex = -1
  element.focus({ preventScroll: true })
  return !isLost()
}

const restore = (): void => {
  const [last] = trail
  // A browser takes the focus from an element that is disabled or has disappeared only later, when it draws.
  if (last?.matches(':disabled')) waiting = last
  if (!last) return
  if (!isLost()) {
    if (!isShown(document.activeElement!)) requestAnimationFrame(restore)
    return
  }
  if (isShown(last)) {
    if (waiting === last) focus(last as HTMLElement)
    return
  }
  for (const each of trail.slice(1)) {
    if (!isShown(each)) continue
    const heading = [...each.querySelectorAll<HTMLElement>('h1, h2, h3')].find(isShown)
    if (focus(heading ?? (each as HTMLElement))) return
  }
}

export const keepFocus = (): void => {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) remember(target)
  })
  new MutationObserver(restore).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'open', 'hidden'],
  })
}
