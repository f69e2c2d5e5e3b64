// Tests: tests/e2e/browser/dashboard.test.ts
/** The formats of `format.ts` in the language of the page. A component that calls them is drawn again in another language. */
import * as format from './format.ts'
import { language } from './language.ts'
import { presentDay, presentTime } from './present.ts'

export const bytes = (value: number): string => format.bytes(value, language.value)
export const count = (value: number): string => format.count(value, language.value)
export const milliseconds = (value: number): string => format.milliseconds(value, language.value)
export const duration = (seconds: number): string => format.duration(seconds, language.value)

export const money = (amount: string, currency: string): string => format.money(amount, currency, language.value)
export const balance = (amount: string, currency: string): string => format.balance(amount, currency, language.value)
export const signedMoney = (of: format.Movement): string => format.signedMoney(of, language.value)
export const signedSum = (type: 'credit' | 'debit', amount: string, currency: string): string =>
  format.signedSum(type, amount, currency, language.value)

export const time = (iso: string): string => format.time(iso, language.value)
export const shortTime = (iso: string): string => format.shortTime(iso, language.value)
export const day = (iso: string): string => format.day(iso, language.value)
export const chosenDay = (date: string): string => format.chosenDay(date, language.value)
export const weekday = (date: string): string => format.weekday(date, language.value)
export const moment = (iso: string): string => format.moment(iso, language.value, presentDay.value)
export const ago = (iso: string): string =>
  format.ago(iso, language.value, Math.max(presentTime.value, Date.parse(iso)))
