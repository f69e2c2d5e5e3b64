/**
 * Whether a notification can be of an event: direction, amount and currency are equal, the visible account digits do not
 * contradict, and nothing that both print differs: balance, time, order id, references of one kind.
 */
import { digitsContradict } from './account-digits.ts'
import type { Book } from './book.ts'
import { printedApart } from './distance.ts'
import type { Probe } from './entries.ts'

/** `but_for_a_guess`: only the order ids differ, and of the two one hit no prefix of the user: it was a guess. */
export type Compatible = 'yes' | 'but_for_a_guess' | 'no'

export const samePair = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] === b[0] && a[1] === b[1]

/** References contradict where both have one of the same label or shape, and none of it is equal. */
const referencesContradict = (book: Book, probe: Probe, entry: number): boolean => {
  if (probe.references.length === 0) return false
  const others = book.referencesOf(entry)
  return probe.references.some(({ kind }) => {
    const theirs = others.filter((other) => other.kind === kind)
    const ours = probe.references.filter((own) => own.kind === kind)
    return theirs.length > 0 && !theirs.some((other) => ours.some((own) => samePair(own.value, other.value)))
  })
}

export const accountsContradict = (book: Book, probe: Probe, entry: number): boolean => {
  const [ours, theirs] = [book.nameOf(probe.account), book.accountOf(entry)]
  return ours !== null && theirs !== null && digitsContradict(ours, theirs)
}

const compatibleWith = (book: Book, probe: Probe, entry: number): Compatible => {
  const balance = book.balanceOf(entry)
  const contradicts =
    book.movementOf(entry) !== probe.movement ||
    book.amountOf(entry) !== probe.amount ||
    (balance !== probe.balance && !Number.isNaN(balance) && !Number.isNaN(probe.balance)) ||
    printedApart(book, probe, entry) > 0 ||
    accountsContradict(book, probe, entry) ||
    referencesContradict(book, probe, entry)
  if (contradicts) return 'no'
  const order = book.orderOf(entry)
  if (!probe.order || !order || samePair(probe.order, order)) return 'yes'
  return probe.prefixed === book.isPrefixed(entry) ? 'no' : 'but_for_a_guess'
}

export const compatible = (book: Book, probe: Probe, entries: readonly number[]): Compatible => {
  let answer: Compatible = 'yes'
  for (const entry of entries) {
    const each = compatibleWith(book, probe, entry)
    if (each === 'no') return 'no'
    if (each === 'but_for_a_guess') answer = each
  }
  return answer
}
