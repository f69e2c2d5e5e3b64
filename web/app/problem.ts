// Tests: tests/e2e/browser/dashboard.test.ts
/** What an error means for the user. */
import { ApiError } from '../api/client.ts'
import { duration } from './localised.ts'
import { texts } from './language.ts'
import { problemText } from './problem-text.ts'

/** A sentence of the API in the language of the page. */
export const translated = (message: string): string => problemText(texts.value.problems, message)

/** The meaning of an error for the user, in the language of the page where there is a text for it. */
export const problemOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return texts.value.common.errors.INTERNAL_ERROR!
  const { errors, waitFor } = texts.value.common
  const known = errors[error.code]
  if (error.code === 'RATE_LIMITED' && error.wait > 0) return waitFor(duration(Math.ceil(error.wait / 60) * 60))
  if (known) return known
  return error.issues.length > 0
    ? error.issues.map(({ message }) => translated(message)).join(' ')
    : translated(error.message)
}
