// Tests: tests/unit/domain/credits/credits.test.ts
/**
 * The mark of a credit: 48 bits of a SHA-256 over its bank, reference, amount, currency and account. With the id of its
 * transaction (also 48 bits) that is 12 bytes, or 16 characters of base64.
 *
 * A short mark is enough because a match alone proves nothing: the transaction that it names is read and compared. The chance
 * that one of 1,000,000 marks equals the mark of another credit is one in 300 million.
 */
import { sha256 } from '../sha256.ts'
import { comparable, findReferences, namesMovement } from '../reader/references.ts'
import type { Reference } from '../reader/reading.ts'

/** A remembered credit. */
export interface Remembered {
  mark: number
  transaction_id: number
}

/** The input of a mark, apart from the reference. */
interface Credit {
  bank_code: string
  amount: string
  currency: string
  account_number: string | null
}

const MARK_BYTES = 6
const BYTES = 2 * MARK_BYTES

/** Channels of one bank mask an account number differently. Most of them show its last two digits. */
const endOf = (account: string | null): string => /\d{1,2}$/.exec(account ?? '')?.[0] ?? ''

const markOf = ({ bank_code, amount, currency, account_number }: Credit, { value }: Reference): number => {
  const text = `${bank_code} ${value} ${amount} ${currency} ${endOf(account_number)}`
  return Number.parseInt(sha256(text, 'hex').slice(0, 2 * MARK_BYTES), 16)
}

/**
 * The marks of a credit, best reference first: one for each reference that the bank gives to a single movement. Trace numbers
 * and words of the payer recur with other payments, so a credit with only those has no mark.
 */
export const creditMarks = (credit: Credit & { references: readonly Reference[] }): number[] =>
  credit.references.filter(namesMovement).map((reference) => markOf(credit, reference))

/** A captured transaction, as in its event. */
interface Captured extends Credit {
  transaction_ref: string | null
  content: string | null
}

/**
 * The mark by which a captured credit is remembered. Null if it has none. Its references are searched in its content again.
 * A reference that is not in the content had a label of its own.
 */
export const markOfCaptured = (captured: Captured): number | null => {
  const { transaction_ref: ref, content } = captured
  const isLabelled =
    ref !== null && !findReferences(content ?? '', null).all.some(({ value }) => value === comparable(ref))
  const { all } = findReferences(content ?? '', isLabelled ? ref : null)
  return creditMarks({ ...captured, references: all })[0] ?? null
}

/** Encodes remembered credits as base64, 16 characters each. */
export const pack = (credits: readonly Remembered[]): string => {
  const bytes = Buffer.allocUnsafe(credits.length * BYTES)
  credits.forEach(({ mark, transaction_id }, n) => {
    bytes.writeUIntBE(mark, n * BYTES, MARK_BYTES)
    bytes.writeUIntBE(transaction_id, n * BYTES + MARK_BYTES, MARK_BYTES)
  })
  return bytes.toString('base64')
}

/** Calls `each` for every credit, in order. */
export const unpack = (packed: string, each: (mark: number, transactionId: number) => void): void => {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES)
    each(bytes.readUIntBE(at, MARK_BYTES), bytes.readUIntBE(at + MARK_BYTES, MARK_BYTES))
}
