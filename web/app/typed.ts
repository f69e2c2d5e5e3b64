// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Whether somebody has typed something on this page that would be lost with it: whether a field differs from what it showed when it was
 * first used. Fields that a form has saved, or sent and emptied, do not count.
 */

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement
type Shown = string | boolean

const FIELD = 'input, select, textarea'
/** Their values are kept elsewhere: in the address, or as a choice. */
const KEPT = '.filters, .preferences, .rail, dialog [role=combobox]'
/** The forms of the screens. They change nothing before they are sent. */
const FORM = '.shell form.form'
/** The login that covers the page asks for itself. */
const LOGIN = '.again'

/** The first value of each field, or the value that was saved. Null: it is unknown. */
let first = new WeakMap<Element, Shown | null>()

const shownBy = (field: Control): Shown =>
  field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type) ? field.checked : field.value

const look = ({ target }: Event): void => {
  const part = target instanceof Element ? (target.closest('form') ?? target.closest('label') ?? target) : null
  if (!part) return
  for (const each of [part, ...part.querySelectorAll(FIELD)])
    if (each.matches(FIELD) && !first.has(each)) first.set(each, shownBy(each as Control))
}

const fieldsOf = (form: HTMLFormElement): Control[] => [...form.querySelectorAll<Control>(FIELD)]

const isChanged = (field: Control): boolean => first.has(field) && first.get(field) !== shownBy(field)

const changed = (): Control[] =>
  [...document.querySelectorAll<Control>(FIELD)].filter((each) => isChanged(each) && !each.closest(KEPT))

/** Notices what is typed from now on. @param act  called when somebody has typed */
export const noticeTyping = (act: () => void): void => {
  for (const each of ['focusin', 'pointerdown']) document.addEventListener(each, look, true)
  document.addEventListener('input', ({ target }) => {
    if (target instanceof Element && target.matches(FIELD) && !first.has(target)) first.set(target, null)
    act()
  })
  document.addEventListener('reset', ({ target }) => {
    const form = target as HTMLFormElement
    // The fields are emptied after this event.
    queueMicrotask(() => saved(snapshotOf(form)))
  })
}

export const hasTyped = (): boolean => changed().length > 0

/** Whether a form is half-written. @param within  a part of the page */
export const hasUnsaved = (within: Element = document.body): boolean =>
  changed().some((each) => within.contains(each) && each.closest(FORM) && !each.closest(LOGIN))

/** The text that is typed now may be lost. */
export const forgetTyped = (): void => {
  first = new WeakMap()
}

export type Snapshot = readonly (readonly [Control, Shown])[]

export const snapshotOf = (form: HTMLFormElement): Snapshot => fieldsOf(form).map((each) => [each, shownBy(each)])

/** The values that the form had at that moment are saved. */
export const saved = (snapshot: Snapshot): void => {
  for (const [field, value] of snapshot) first.set(field, value)
}
