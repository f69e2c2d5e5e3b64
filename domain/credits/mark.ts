/**
 * A credit's mark: 48 bits of a SHA-256 over its bank, reference, amount, currency and account. With the id of its transaction
 * (48 bits too) that is 12 bytes, so 16 characters of base64.
 *
 * A mark is short, as a hit is not believed by itself: the transaction that it names is read and compared. Of 1,000,000 marks
 * one equals another credit's by chance in 300 million.
 */
import { sha256 } from '../sha256.ts'
import { comparable, findReferences, namesMovement } from '../reader/references.ts'
import type { Reference } from '../reader/reading.ts'

/** A remembered credit. */
export interface Remembered {
  mark: number
  transaction_id: number
}

/** What a mark is made of, beside the reference. */
interface Credit {
  bank_code: string
  amount: string
  currency: string
  account_number: string | null
}

const MARK_BYTES = 6
const BYTES = 2 * MARK_BYTES

/** Banks mask an account's number differently by channel; most of them show its last two digits. */
const endOf = (account: string | null): string => /\d{1,2}$/.exec(account ?? '')?.[0] ?? ''

const markOf = ({ bank_code, amount, currency, account_number }: Credit, { value }: Reference): number => {
  const text = `${bank_code} ${value} ${amount} ${currency} ${endOf(account_number)}`
  return Number.parseInt(sha256(text, 'hex').slice(0, 2 * MARK_BYTES), 16)
}

/**
 * Marks of a credit, best reference first: one for each reference that the bank gives each movement. A trace number or a word
 * of the payer comes again with other payments, so such a credit has no mark.
 */
export const creditMarks = (credit: Credit & { references: readonly Reference[] }): number[] =>
  credit.references.filter(namesMovement).map((reference) => markOf(credit, reference))

/** A captured transaction as its event tells it. */
interface Captured extends Credit {
  transaction_ref: string | null
  content: string | null
}

/**
 * The mark that a captured credit is remembered by; null where it has none. Its references are found again in its content;
 * one that is not there stood under a label of its own.
 */
export const markOfCaptured = (captured: Captured): number | null => {
  const { transaction_ref: ref, content } = captured
  const isLabelled =
    ref !== null && !findReferences(content ?? '', null).all.some(({ value }) => value === comparable(ref))
  const { all } = findReferences(content ?? '', isLabelled ? ref : null)
  return creditMarks({ ...captured, references: all })[0] ?? null
}

/** Base64 of remembered credits, 16 characters each. */
export const pack = (credits: readonly Remembered[]): string => {
  const bytes = Buffer.allocUnsafe(credits.length * BYTES)
  credits.forEach(({ mark, transaction_id }, n) => {
    bytes.writeUIntBE(mark, n * BYTES, MARK_BYTES)
    bytes.writeUIntBE(transaction_id, n * BYTES + MARK_BYTES, MARK_BYTES)
  })
  return bytes.toString('base64')
}

/** Calls back for each credit, in order. */
export const unpack = (packed: string, each: (mark: number, transactionId: number) => void): void => {
  const bytes = Buffer.from(packed, 'base64')
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES)
    each(bytes.readUIntBE(at, MARK_BYTES), bytes.readUIntBE(at + MARK_BYTES, MARK_BYTES))
}
