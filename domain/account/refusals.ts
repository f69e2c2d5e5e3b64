// Tests: tests/unit/domain/account/rules.test.ts
/** Refusals of operations on an account. Their names are the error codes of the API. */
import { Refused } from '../errors.ts'

export interface Issue {
  /** The field, with dots if it is nested. */
  path: string
  message: string
}

/** The input is invalid. States the fields and the reasons. */
export const invalid = (...issues: [Issue, ...Issue[]]): Refused =>
  new Refused('VALIDATION_FAILED', issues[0].message, { issues })

export const notFound = (what: string): Refused => new Refused('NOT_FOUND', `The ${what} does not exist.`)

export const conflict = (message: string): Refused => new Refused('CONFLICT', message)
