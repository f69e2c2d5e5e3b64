// Tests: tests/e2e/browser/languages.test.ts
/** The language that the account has: of its mails and alerts, and of its pages on every device. A choice on a page changes it. */
import type { Language } from '../texts/language.ts'
import { putData } from '../api/client.ts'
import type { Account } from '../api/types.ts'
import { announce } from './announce.ts'
import { keepLanguage, language, loadLanguage } from './language.ts'
import { mayRenew } from './missing-file.ts'
import { problemOf } from './problem.ts'
import { queries } from './session.ts'

const ACCOUNT = ['account']

const isLoadedNow = (next: Language): Promise<boolean> =>
  loadLanguage(next).then(
    () => true,
    () => false,
  )

/** Chosen on a page without a login. */
let chosen: Language | null = null

const keep = async (next: Language): Promise<void> => {
  try {
    queries.setQueryData(ACCOUNT, await putData<Account>('/api/account', { language: next }))
  } catch (error) {
    announce(problemOf(error))
  }
}

export const chooseLanguage = async (next: Language): Promise<void> => {
  const isLoaded = await isLoadedNow(next)
  if (!isLoaded && !(await mayRenew())) return
  if (queries.getQueryData(ACCOUNT)) await keep(next)
  else chosen = next
  if (isLoaded) return
  keepLanguage(next)
  location.reload()
}

/** Somebody has logged in: what they chose before counts. */
export const keepChosenLanguage = async (): Promise<void> => {
  if (chosen) await keep(chosen)
}

/** The page begins with the account's language. */
export const speakAs = ({ language: own }: Account): void => {
  if (own !== language.value) void isLoadedNow(own)
}
