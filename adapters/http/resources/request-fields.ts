// Tests: tests/integration/openapi/body-guards.test.ts
/** Fields that the requests of several resources have. */
import { z } from 'zod'

/** Text that can be stored and shown: no control characters, no unpaired surrogates. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'This must not be empty.')
    .max(most, `This must have at most ${most} characters.`)
    .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, 'This contains characters that cannot be stored.')

/** Fields of responses that a caller may send back. They are ignored. */
const anything = z
  .unknown()
  .refine((value) => typeof value !== 'number' || Number.isFinite(value), 'must be a finite number')

export const readOnly = (...names: string[]) => Object.fromEntries(names.map((name) => [name, anything.optional()]))

export const withoutReadOnly = <Given extends Record<string, unknown>>(given: Given, names: readonly string[]): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name))) as Given

/** In upper case, as in transactions. */
export const bankCode = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{2,20}$/, 'A bank code is 2 to 20 letters or digits.')
  .transform((code) => code.toUpperCase())

/** Postgres has no year 0. */
export const day = z.iso
  .date('This is not a valid day. Write it as YYYY-MM-DD.')
  .refine((value) => !value.startsWith('0000'), 'There is no year 0.')
