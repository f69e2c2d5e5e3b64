// Tests: tests/e2e/browser/dashboard.test.ts
/** Whether somebody has typed something on this page that would be lost with it. What a form has sent and emptied does not count. */

const FIELD = 'input, select, textarea'
/** Their values are kept elsewhere: in the address, or as a choice. */
const KEPT = '.filters, .preferences, .rail, dialog [role=combobox]'

const typed = new Set<Element>()

/** A form that was closed took its fields along. */
const forgetClosed = (): void => {
  for (const each of typed) if (!each.isConnected) typed.delete(each)
}

/** Notices what is typed from now on. */
export const noticeTyping = (): void => {
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof Element) || typed.has(target)) return
    forgetClosed()
    if (target.matches(FIELD) && !target.closest(KEPT)) typed.add(target)
  })
  document.addEventListener('reset', ({ target }) => {
    for (const each of typed) if (target instanceof Element && target.contains(each)) typed.delete(each)
  })
}

export const hasTyped = (): boolean => {
  forgetClosed()
  return typed.size > 0
}
