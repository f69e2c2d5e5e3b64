// Tests: tests/unit/domain/parse-event.test.ts
/** Fields that many events and responses have. */
import { z } from 'zod'

export const id = z.int().positive()
export const count = z.int().min(0)
/** ISO 8601, UTC. */
export const moment = z.iso.datetime()
/** Money with two decimals, such as `-150000.00`. */
export const decimal = z.string().regex(/^-?\d+\.\d{2}$/)
export const unsignedDecimal = z.string().regex(/^\d+\.\d{2}$/)
