// Tests: tests/integration/http/languages.test.ts
/** Chooses the language of an account. */
import type { AccountEvent } from './events.ts'
import type { Language } from './language.ts'
import type { Account } from './state.ts'

export const languageSet = (user_id: number, language: Language): AccountEvent => ({
  type: 'LanguageSet',
  data: { user_id, language },
})

/** @returns nothing if nothing changes. @param language  undefined: it stays */
export const setLanguage = (account: Account, language: Language | undefined): AccountEvent[] =>
  language === undefined || language === account.language ? [] : [languageSet(account.user_id, language)]
