// Tests: tests/e2e/browser/dashboard.test.ts
/** The choice of language and theme. */
import { language, texts } from '../app/language.ts'
import { chooseLanguage } from '../app/account-language.ts'
import { setTheme, theme, type Theme } from '../app/theme.ts'

/** Shows the previous language again if the chosen one cannot be loaded. */
const choose = async (select: HTMLSelectElement): Promise<void> => {
  await chooseLanguage(select.value as typeof language.value)
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
