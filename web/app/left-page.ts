// Tests: tests/e2e/browser/dashboard.test.ts
import { loadAgain } from './leave.ts'

/**
 * Browsers keep a page that somebody leaves, and show it again as it was when they go back. By then its account may be logged out, or
 * another one logged in. So the page is kept hidden, and is loaded again.
 */
export const loadAgainWhenBack = (): void => {
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted) document.body.hidden = true
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) loadAgain()
  })
}
