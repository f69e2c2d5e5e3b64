// Tests: tests/integration/http/languages.test.ts
/** The language of an account: of its mails, its alerts and its pages. */
import { z } from 'zod'
import type { AccountEvent } from './events.ts'
import type { Account } from './state.ts'

export const language = z.enum(['vi', 'en'])
export type Language = z.infer<typeof language>

/** Of an account that has not chosen. */
export const USUAL_LANGUAGE: Language = 'vi'

export const languageSet = (user_id: number, language: Language): AccountEvent => ({
  type: 'LanguageSet',
  data: { user_id, language },
})

/** @returns nothing if nothing changes. @param language  undefined: it stays */
export const setLanguage = (account: Account, language: Language | undefined): AccountEvent[] =>
  language === undefined || language === account.language ? [] : [languageSet(account.user_id, language)]

/** One text in each language. */
export type InEach = Readonly<Record<Language, string>>
