// Tests: tests/e2e/browser/dashboard.test.ts
/** The text of the live region: screen readers say it. It is also shown for a few seconds. */
import { signal } from '@preact/signals'

export const announcement = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

export const announce = (text: string): void => {
  announcement.value = text
  clearTimeout(timer)
  timer = setTimeout(() => (announcement.value = ''), 6_000)
}
