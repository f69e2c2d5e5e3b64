/** How banks write what somebody searches for. The search is literal. */
import { plainLetters } from './plain-letters.ts'

/** As the dashboard writes it, or without dots. */
const AMOUNT = /^[+\u2212-]?([1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{3,14})\s*(?:₫|d|vnd)?$/

/**
 * Most banks write memos and names without the marks of Vietnamese letters, and amounts with commas.
 * @returns null if it is what is searched for already
 */
export const bankSpelling = (search: string): string | null => {
  const plain = plainLetters(search)
  const amount = AMOUNT.exec(plain)?.[1]
  if (amount) return amount.replace(/\./g, '').replace(/\B(?=(?:\d{3})+$)/g, ',')
  return plain === search.toLowerCase().normalize('NFC') ? null : plain
}
