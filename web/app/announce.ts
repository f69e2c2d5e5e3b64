// Tests: tests/e2e/browser/accessible.test.ts
/**
 * The text of the live region: screen readers say it. It is also shown for a few seconds. A text that follows at once is added, because one that
 * is replaced before it was read out is lost.
 */
import { signal } from '@preact/signals'

const SHOWN_MS = 6_000
const AT_ONCE_MS = 1_500

export const announcement = signal('')
let timer: ReturnType<typeof setTimeout> | undefined
let announcedAt = 0

export const announce = (text: string): void => {
  const isAtOnce = announcement.value !== '' && Date.now() - announcedAt < AT_ONCE_MS
  announcement.value = isAtOnce && !announcement.value.includes(text) ? `${announcement.value} ${text}` : text
  announcedAt = Date.now()
  clearTimeout(timer)
  timer = setTimeout(() => (announcement.value = ''), SHOWN_MS)
}
