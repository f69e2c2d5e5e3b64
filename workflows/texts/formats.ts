// Tests: tests/integration/http/languages.test.ts
/** Times, months and numbers as readers of a language write them. Times are Vietnamese. */
import type { Language } from '../../domain/account/language.ts'
import { inVietnam } from '../../domain/time.ts'

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'] // prettier-ignore

const two = (number: number): string => String(number).padStart(2, '0')

/** A text that another sentence can follow: the words of a server may lack the full stop. */
export const closed = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

export interface Formats {
  /** @param at  ISO 8601 @returns such as `14:05 on 24 November 2026 (Vietnam time)` */
  moment(at: string): string
  /** @param month  such as `2026-11` @returns such as `November 2026` */
  month(month: string): string
  /** @returns such as `12,000` */
  count(number: number): string
  /** @param share  percent @returns such as `4.0%` */
  percent(share: number): string
}

const LOCALES: Record<Language, string> = { vi: 'vi-VN', en: 'en-GB' }
const ONE_DIGIT = { minimumFractionDigits: 1, maximumFractionDigits: 1 }

export const formatsOf = (language: Language): Formats => {
  const locale = LOCALES[language]
  const isEnglish = language === 'en'
  return {
    moment: (at) => {
      const { year, month, day, hour, minute } = inVietnam(new Date(at))
      const clock = `${two(hour)}:${two(minute)}`
      return isEnglish
        ? `${clock} on ${day} ${MONTHS[month - 1]} ${year} (Vietnam time)`
        : `${clock} ngày ${two(day)}/${two(month)}/${year}`
    },
    month: (given) => {
      const [year, month] = given.split('-')
      return isEnglish ? `${MONTHS[Number(month) - 1]} ${year}` : `${month}/${year}`
    },
    count: (number) => number.toLocaleString(locale),
    percent: (share) => `${share.toLocaleString(locale, ONE_DIGIT)}%`,
  }
}
