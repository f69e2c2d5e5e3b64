// Tests: tests/e2e/browser/dashboard.test.ts
/** The start of the page. */
import './styles/all.css'
import { QueryClientProvider } from '@tanstack/preact-query'
import { render } from 'preact'
import { LocationProvider } from 'preact-iso/router'
import { whenAnswered } from './api/client.ts'
import { ignoreSecondClicks } from './app/double-click.ts'
import { keepFocus } from './app/keep-focus.ts'
import { loadLanguage } from './app/language.ts'
import { askBeforeLeaving } from './app/leave.ts'
import { loadAgainWhenBack } from './app/left-page.ts'
import { noticeBudget } from './app/live.ts'
import { noticeServerTime } from './app/present.ts'
import { App, preloadScreen } from './frame/router.tsx'
import { queries } from './app/session.ts'
import { LiveRegion } from './frame/shell.tsx'
import { setTheme, theme } from './app/theme.ts'

setTheme(theme.value)
// Before the others that follow clicks.
ignoreSecondClicks()
keepFocus()
askBeforeLeaving()
loadAgainWhenBack()
whenAnswered((headers, method) => {
  noticeServerTime(headers)
  // Some changes have limits of their own.
  if (method === 'GET') noticeBudget(headers)
})
preloadScreen(location)
await loadLanguage()
render(
  <QueryClientProvider client={queries}>
    <LocationProvider>
      <App />
    </LocationProvider>
    <LiveRegion />
  </QueryClientProvider>,
  document.getElementById('app')!,
)
