/** Illegal moves on an account, by name; the names are the API's error codes. */
import { Refused } from '../errors.ts'

export interface Issue {
  /** Field, with dots where it is nested. */
  path: string
  message: string
}

/** Something given is not acceptable: which field, and why. */
export const invalid = (...issues: [Issue, ...Issue[]]): Refused =>
  new Refused('VALIDATION_FAILED', issues[0].message, { issues })

export const notFound = (what: string): Refused => new Refused('NOT_FOUND', `The ${what} does not exist.`)

export const conflict = (message: string): Refused => new Refused('CONFLICT', message)
