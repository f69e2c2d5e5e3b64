// Tests: tests/integration/http/languages.test.ts
/** The texts of mails and alerts, by language. */
import type { InEach, Language } from '../../domain/account/language.ts'
import { en } from './en.ts'
import type { Texts } from './types.ts'
import { vi } from './vi.ts'

export const TEXTS: Readonly<Record<Language, Texts>> = { vi, en }

/** @returns one text in each language */
export const inEach = (write: (texts: Texts) => string): InEach => ({ vi: write(vi), en: write(en) })
