/** Compares the reading of a corpus text with its expected reading. */
import { createHash } from 'node:crypto'
import { transactionDate } from '../../domain/reader/printed-time.ts'
import { read } from '../../domain/reader/reader.ts'
import type { Reading } from '../../domain/reader/reading.ts'
import type { CorpusEntry } from './corpus.ts'

/** The arrival time of the corpus, later than every date printed in it. */
export const ARRIVAL = new Date('2026-11-20T03:00:00Z')

/** `right`: money was read correctly, or a text that is not a transaction was ignored. `wrong` must never occur. */
export type Score = 'right' | 'unread' | 'wrong'

export interface Scored {
  entry: CorpusEntry
  score: Score
  reading: Reading | null
  reason: string | null
  /** Differing fields other than the money. They cost convenience, not money. */
  differs: string[]
}

/** The current code of a bank in the directory, for a bank that the corpus still names by its old code. */
export const codeOf = (bank: string | null): string | null => (bank === 'DAB' ? 'VIKKI' : bank)

export type Money = Pick<Reading, 'transaction_type' | 'amount' | 'currency' | 'balance_after'>
export const moneyOf = ({ transaction_type, amount, currency, balance_after }: Money): Money => ({
  transaction_type,
  amount,
  currency,
  balance_after,
})

const NO_YEAR = /^(?:\d{1,2}h\d{2}p )?\d{1,2}\/\d{1,2}(?: \d{1,2}:\d{2})?$/

const sameTime = (reading: Reading, printed: string | null): boolean => {
  const { transaction_date, transaction_date_source } = transactionDate(reading, ARRIVAL)
  if (printed === null || /^\d{1,2}:\d{2}$/.test(printed)) return transaction_date_source === 'arrival'
  if (NO_YEAR.test(printed)) return transaction_date_source === 'printed_without_year'
  const expected = printed.length === 10 ? `${printed}T00:00:00+07:00` : printed
  return new Date(expected).toISOString() === transaction_date
}

const squeezed = (text: string | null): string => (text ?? '').replace(/\s+/g, ' ').trim()

export const scoreOf = (entry: CorpusEntry): Scored => {
  const { reading, reason } = read(entry, ARRIVAL)
  const { expected } = entry
  if (!expected) return { entry, score: reading ? 'wrong' : 'right', reading, reason, differs: [] }
  if (!reading) return { entry, score: 'unread', reading, reason, differs: [] }
  const differs: string[] = []
  if (codeOf(entry.bank) !== reading.bank_code) differs.push('bank')
  if (expected.account_number !== reading.account_number) differs.push('account')
  if (!sameTime(reading, expected.transaction_date)) differs.push('time')
  if (![expected.transaction_ref, ...(entry.ref_any ?? [])].includes(reading.transaction_ref)) differs.push('reference')
  if (squeezed(expected.description) !== squeezed(reading.content)) differs.push('content')
  const right = JSON.stringify(moneyOf(reading)) === JSON.stringify(moneyOf(expected as Money))
  return { entry, score: right ? 'right' : 'wrong', reading, reason, differs }
}

/** Assigns an entry by the hash of its id to the half on which layouts are tuned, or to the half that shows whether they generalise. */
export const halfOf = ({ id }: CorpusEntry): 'tuned' | 'held out' =>
  (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'tuned' : 'held out'
