/**
 * Whether a notification can belong to an event. Direction, amount and currency must be equal, the visible account digits must
 * not contradict each other, and no value that both print may differ: balance, time, references of one kind, order id.
 *
 * The order id is judged separately. Banks print the other values, but the payer writes the order id, and some channels cut it.
 * So a different order id does not yet mean another payment if the bank's own words name the same movement
 * (decisions, T4: one payment pays one order). `verdict.ts` decides how much evidence each result needs.
 */
import { digitsContradict } from './account-digits.ts'
import type { DedupWindow } from './window.ts'
import { printedApart } from './distance.ts'
import type { Probe, ReferenceHash } from './probe.ts'

/**
 * `but_for_the_order`: only the order ids differ. `but_for_a_guess`: only the order ids differ, and one of the two is a guess,
 * because it matched no prefix of the user, or stands in a cut memo. `but_for_a_cut`: such a guess of a text that lacks its end, or may lack it.
 */
export type Compatible = 'yes' | 'but_for_a_cut' | 'but_for_a_guess' | 'but_for_the_order' | 'no'

export const samePair = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] === b[0] && a[1] === b[1]

/** References contradict each other if both sides have one of the same label or shape, and no two of these are equal. */
const referencesContradict = (window: DedupWindow, { references: ours }: Probe, entry: number): boolean => {
  if (ours.length === 0) return false
  const theirs = window.referencesOf(entry)
  const isOurs = (other: ReferenceHash): boolean =>
    ours.some(({ kind, value }) => kind === other.kind && samePair(value, other.value))
  return ours.some(({ kind }) => {
    const isOfKind = (other: ReferenceHash): boolean => other.kind === kind
    return theirs.some(isOfKind) && !theirs.some((other) => isOfKind(other) && isOurs(other))
  })
}

export const accountsContradict = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const [ours, theirs] = [window.nameOf(probe.account), window.accountOf(entry)]
  return ours !== null && theirs !== null && digitsContradict(ours, theirs)
}

const contradicts = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const balance = window.balanceOf(entry)
  return (
    window.movementOf(entry) !== probe.movement ||
    window.amountOf(entry) !== probe.amount ||
    (balance !== probe.balance && !Number.isNaN(balance) && !Number.isNaN(probe.balance)) ||
    printedApart(window, probe, entry) > 0 ||
    accountsContradict(window, probe, entry) ||
    referencesContradict(window, probe, entry)
  )
}

/** Whether a notification shows another order id, and both are guesses. */
export const guessesApart = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const order = window.orderOf(entry)
  return !probe.prefixed && !window.isPrefixed(entry) && !!order && !!probe.order && !samePair(order, probe.order)
}

/** An event whose copies show several order ids has all of them. */
const orderAgrees = (window: DedupWindow, probe: Probe, entries: readonly number[]): Exclude<Compatible, 'no'> => {
  const own = probe.order
  if (!own) return 'yes'
  let answer: Exclude<Compatible, 'no'> = 'yes'
  for (const entry of entries) {
    const order = window.orderOf(entry)
    if (!order) continue
    if (samePair(own, order)) return 'yes'
    const isPrefixed = window.isPrefixed(entry)
    const cut = (probe.prefixed ? null : probe.cutAt) ?? (isPrefixed ? null : window.cutOf(entry))
    if (probe.prefixed === isPrefixed && cut === null) answer = 'but_for_the_order'
    else if (answer === 'yes') answer = cut === null ? 'but_for_a_guess' : 'but_for_a_cut'
    else if (answer === 'but_for_a_cut' && cut === null) answer = 'but_for_a_guess'
  }
  return answer
}

/** Whether a notification shows the order id of an event, or a reference of it that the bank gives each movement. */
export const namesEvent = (window: DedupWindow, { order, references }: Probe, entries: readonly number[]): boolean => {
  const own = references.filter(({ namesMovement }) => namesMovement)
  const isOwn = ({ kind, value }: ReferenceHash) => own.some((one) => one.kind === kind && samePair(one.value, value))
  return entries.some((entry) => {
    const theirs = window.orderOf(entry)
    return (order && theirs && samePair(order, theirs)) || (own.length > 0 && window.referencesOf(entry).some(isOwn))
  })
}

/** @param entries  all notifications of one event. Everything that they print counts together. */
export const compatible = (window: DedupWindow, probe: Probe, entries: readonly number[]): Compatible =>
  entries.some((entry) => contradicts(window, probe, entry)) ? 'no' : orderAgrees(window, probe, entries)
