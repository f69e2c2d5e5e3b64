// Tests: tests/e2e/browser/dashboard.test.ts
/** The choice of language and theme. */
import type { Language } from '../texts/language.ts'
import { language, texts } from './language.ts'
import { chooseLanguage } from './account-language.ts'
import { setTheme, theme, type Theme } from './theme.ts'

/** Shows the previous language again if the chosen one cannot be loaded. */
const choose = async (select: HTMLSelectElement): Promise<void> => {
  await chooseLanguage(select.value as Language)
  select.value = language.value
}

export const Preferences = () => {
  const { shell } = texts.value
  return (
    <>
      <label>
        <span class="hidden-text">{shell.language}</span>
        <select value={language.value} onChange={(event) => void choose(event.currentTarget)}>
          <option value="vi">Tiếng Việt</option>
          <option value="en">English</option>
        </select>
      </label>
      <label>
        <span class="hidden-text">{shell.theme}</span>
        <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          {(['system', 'light', 'dark'] as const).map((each) => (
            <option key={each} value={each}>
              {shell.themes[each]}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
