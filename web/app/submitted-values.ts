// Tests: tests/e2e/browser/dashboard.test.ts
import { snapshotOf, type Snapshot } from './typed.ts'

let submitted: Snapshot = []

/** Values of a submitted form. Keyboards of phones and copied texts add blanks at the ends, which only a password may have. */
export const valuesOf = (event: Event): Record<string, string> => {
  event.preventDefault()
  const form = event.currentTarget as HTMLFormElement
  submitted = snapshotOf(form)
  const values = new FormData(form)
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, name === 'password' ? String(value) : String(value).trim()]),
  )
}

/** The content of the form whose values were just taken, for the call that sends them. */
export const takeSubmitted = (): Snapshot => {
  const taken = submitted
  submitted = []
  return taken
}

/** Goes to the first field that was refused: it may be far above the button. @param form  what was sent of it */
export const showRefused = ([first]: Snapshot): void => {
  requestAnimationFrame(() => {
    const field = first?.[0].form?.querySelector<HTMLElement>('[aria-invalid=true]')
    field?.scrollIntoView({ block: 'center' })
    field?.focus({ preventScroll: true })
  })
}
