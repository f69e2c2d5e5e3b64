// Tests: tests/integration/http/languages.test.ts
/** The language of an account: of its mails, its alerts and its pages. */
import { z } from 'zod'

export const language = z.enum(['vi', 'en'])
export type Language = z.infer<typeof language>

/** The language of an account that has not chosen one. */
export const USUAL_LANGUAGE: Language = 'vi'

/** One text in each language. */
export type InEach = Readonly<Record<Language, string>>
