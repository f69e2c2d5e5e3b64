// Tests: tests/unit/domain/account/rules.test.ts
/** Refusals of operations on an account. Their names are the error codes of the API. */
import { Refused } from '../errors.ts'

export interface Issue {
  /** The field, with dots if it is nested. */
  path: string
  message: string
}

/** The message of the first issue, which names its field. Callers may show only that. */
export const messageOf = ([first]: readonly Issue[]): string => {
  if (first === undefined) return 'The input is invalid.'
  const { path, message } = first
  return path === '' || message.includes(path) ? message : `${path}: ${message}`
}

/** The input is invalid. States the fields and the reasons. */
export const invalid = (...issues: [Issue, ...Issue[]]): Refused =>
  new Refused('VALIDATION_FAILED', messageOf(issues), { issues })

export const notFound = (what: string): Refused => new Refused('NOT_FOUND', `The ${what} does not exist.`)

export const conflict = (message: string): Refused => new Refused('CONFLICT', message)
