// Tests: tests/e2e/browser/dashboard.test.ts
/** Light, dark, or as the system is set. */
import { signal } from '@preact/signals'
import { choice } from './choice.ts'

export type Theme = 'system' | 'light' | 'dark'

const chosen = choice<Theme>('theme', ['system', 'light', 'dark'], 'system')
export const theme = signal<Theme>(chosen.read())

export const setTheme = (next: Theme): void => {
  theme.value = next
  chosen.keep(next)
  if (next === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
}
