// Tests: tests/e2e/browser/dashboard.test.ts
/** The language of the page: chosen by the user, otherwise Vietnamese. Its texts are loaded before the first screen is drawn. */
import { signal } from '@preact/signals'
import type { Language } from '../texts/language.ts'
import type { Messages } from '../texts/vi.ts'
import { choice } from './choice.ts'

const LOADERS: Record<Language, () => Promise<Messages>> = {
  vi: async () => (await import('../texts/vi.ts')).vi,
  en: async () => (await import('../texts/en.ts')).en,
}

const chosen = choice<Language>('language', ['vi', 'en'], 'vi')

export const language = signal<Language>('vi')
/** The texts of the page, by screen. Components read `.value`, so that they are drawn again in another language. */
export const texts = signal<Messages>(undefined as unknown as Messages)

/** For this browser's next page. */
export const keepLanguage = chosen.keep

export const loadLanguage = async (next: Language = chosen.read()): Promise<void> => {
  texts.value = await LOADERS[next]()
  language.value = next
  document.documentElement.lang = next
  keepLanguage(next)
}
