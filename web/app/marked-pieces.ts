/** Finds in a notification's text what was read from it: the amount, the account, the reference, the order id, the balance and the payer. */
import type { Transaction } from '../api/types.ts'

export interface MarkedPiece {
  text: string
  isRead: boolean
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Any way in which banks print an amount: `500,000`, `500.000`, `500000`. */
const amountPattern = (amount: string): string => {
  const whole = amount.replace(/^-|\.\d+$/g, '')
  return `(?<!\\d[.,]?)${whole.replace(/\B(?=(\d{3})+$)/g, '[., ]?')}(?![.,]?\\d{3})(?!\\d)`
}

/** An order id may be printed with blanks or hyphens between its characters. */
const spacedPattern = (text: string): string => [...text].map(escaped).join('[ _-]?')

export const markedPieces = (
  text: string,
  read: Pick<
    Transaction,
    'amount' | 'account_number' | 'transaction_ref' | 'order_id' | 'counterpart_name' | 'balance_after'
  >,
): MarkedPiece[] => {
  const patterns = [
    read.order_id && spacedPattern(read.order_id),
    read.transaction_ref && escaped(read.transaction_ref),
    read.account_number && escaped(read.account_number),
    read.counterpart_name && escaped(read.counterpart_name),
    amountPattern(read.amount),
    read.balance_after && amountPattern(read.balance_after),
  ].filter(Boolean)
  return text
    .split(new RegExp(`(${patterns.join('|')})`, 'iu'))
    .map((piece, index) => ({ text: piece, isRead: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
