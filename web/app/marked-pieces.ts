/** Finds in a notification's text what was read from it: the amount, the account, the reference, the order id, the balance and the payer. */
import type { Transaction } from '../api/types.ts'

export interface MarkedPiece {
  text: string
  isRead: boolean
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Any way in which banks print an amount: `500,000`, `500.000`, `500000`. The text before it is examined afterwards. */
const amountPattern = (amount: string): string => {
  const whole = amount.replace(/^-|\.\d+$/g, '')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, '[., ]?')}(?![.,]?\\d{3})(?!\\d)`
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
  const names = [
    read.order_id && spacedPattern(read.order_id),
    read.transaction_ref && escaped(read.transaction_ref),
    read.account_number && escaped(read.account_number),
    read.counterpart_name && escaped(read.counterpart_name),
  ].filter(Boolean)
  const amounts = [read.amount, read.balance_after ?? []].flat().map(amountPattern)
  const pattern = new RegExp([...names, `(${amounts.join('|')})`].join('|'), 'giu')
  const pieces: MarkedPiece[] = []
  let end = 0
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [piece, amount] = found
    const isInsideNumber =
      amount !== undefined && /\d[.,]?$/.test(text.slice(Math.max(0, found.index - 2), found.index))
    if (isInsideNumber) {
      pattern.lastIndex = found.index + 1
      continue
    }
    pieces.push({ text: text.slice(end, found.index), isRead: false }, { text: piece, isRead: true })
    end = pattern.lastIndex
  }
  return [...pieces, { text: text.slice(end), isRead: false }].filter((piece) => piece.text !== '')
}
