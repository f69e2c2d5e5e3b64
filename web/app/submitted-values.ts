// Tests: tests/e2e/browser/dashboard.test.ts
/** Values of a submitted form. Keyboards of phones and copied texts add blanks at the ends, which only a password may have. */
export const valuesOf = (event: Event): Record<string, string> => {
  event.preventDefault()
  const values = new FormData(event.currentTarget as HTMLFormElement)
  return Object.fromEntries(
    [...values].map(([name, value]) => [name, name === 'password' ? String(value) : String(value).trim()]),
  )
}
