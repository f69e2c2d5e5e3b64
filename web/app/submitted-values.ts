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

/** What the form showed whose values were just taken, for the call that sends them. */
export const takeSubmitted = (): Snapshot => {
  const taken = submitted
  submitted = []
  return taken
}
