/**
 * References that banks put into a memo, each recognised by its label or its shape. Best first: the bank's own before the sender's.
 *
 * Not every reference identifies one movement. A trace number has six digits and recurs, one number of a business batch
 * (`IBBIZ`) is in all its transfers, `So GD goc` names the transfer that is refunded, and a payer may write `Ma giao dich` into
 * every transfer. Those are compared and shown, but they alone never prove that two notifications describe one payment.
 */
import { CUT } from './page.ts'
import type { Reference } from './reading.ts'

interface Shape {
  kind: string
  /** The whole match is the reference, or its group 1 if it has a label. It has the flag `g` if more than one match counts. */
  expression: RegExp
  /** A word that it contains, in upper case. Without it in the memo, the expression need not run. */
  word?: string
  /** The bank gives each movement its own reference of this kind. */
  movement?: true
  /** The bank puts it after the payer's words, so the last match is the bank's. */
  last?: true
  /** Characters of its value, if all have the same number. */
  length?: number
}

/** Kind of a reference that a layout prints under its own label, outside the memo. */
const LABELLED = 'Ma giao dich'
/** Kind of a reference with such a label that the payer may have written. */
const SENDERS = 'Ma tham chieu'

const shapes: readonly Shape[] = [
  { kind: 'ACSP', word: 'ACSP', expression: /\bACSP ?\/ ?([0-9A-Z]{6,24})/i, movement: true, length: 8 },
  { kind: 'Trace', word: 'TRACE', expression: /\bTrace[ :]{0,2}(\d{4,12})(?!\d)/gi, length: 6 },
  /** VCB for interbank transfers: six digits, day, time. */
  { kind: 'dotted', word: '.', expression: /(?<![\d.])\d{6}\.\d{6}\.\d{6}(?!\d)/, movement: true, length: 18 },
  { kind: 'MBVCB', word: 'MBVCB', expression: /\bMBVCB[. ]?\d{1,15}/i, movement: true },
  /** NAPAS: 0200, BIN of the sending bank, then its number. Some senders put one more zero before the BIN. */
  { kind: 'NAPAS', word: '0200', expression: /(?<![0-9A-Z])0200\d{6}[0-9A-Z]{14,34}/i, movement: true },
  /** May contain one of the next kind. */
  {
    kind: 'GD',
    word: 'GD',
    expression: /\bGD ([0-9A-Z]{6,20})[ -]\d{6}[ -]\d{2}:\d{2}:\d{2}/gi,
    movement: true,
    last: true,
  },
  { kind: 'IBT', word: 'IBT', expression: /(?<![0-9A-Z])\d{4}IBT\d[0-9A-Z]{8,14}/i, movement: true },
  { kind: 'Ecom', word: 'ECOM.', expression: /\bEcom\.[0-9A-Z]{6,24}/i, movement: true },
  /** MB may break its memo at a dot, and a text may be cut there. */
  { kind: 'IBBIZ', word: 'IBBIZ', expression: /\bIBBIZ\.\d{6,24}(?: ?\. ?(?:\d{1,3}(?!\d))?)?/gi },
  { kind: 'CK', word: 'CK', expression: /\bCK\d{14}(?!\d)/gi, length: 16 },
  { kind: 'CTLNHID', word: 'CTLNHID', expression: /\bCTLNHID[IO]\d{10,20}/i, movement: true, length: 23 },
  { kind: 'FT', word: 'FT', expression: /\bFT\d{9,16}(?!\d)/i, movement: true, length: 16 },
  { kind: 'CT', word: 'CT D', expression: /\bCT (?:DEN|DI): ?([0-9A-Z]{6,24})/i, movement: true },
  { kind: 'So GD', word: 'SO GD', expression: /\bSo GD(?: goc)?: ?([0-9A-Z]{6,30})/gi },
  {
    kind: SENDERS,
    word: 'MA ',
    expression: /\bMa (?:tham chieu|giao dich|GD)[: ]{1,2}(?=[A-Z]{0,20}\d)([0-9A-Z]{5,30})/gi,
  },
  /** Milliseconds since 1970, then a code (TCB's own bookings). */
  { kind: 'epoch', expression: /(?<![0-9A-Z])1\d{12}[0-9A-Z]{6,8}(?![0-9A-Z])/i, movement: true },
]

/** Kinds of references that identify one movement. */
const MOVEMENT_KINDS: ReadonlySet<string> = new Set([
  LABELLED,
  ...shapes.filter(({ movement }) => movement).map(({ kind }) => kind),
])

/** Whether the bank gives each movement its own reference of this kind. */
export const isOfMovement = ({ kind }: Reference): boolean => MOVEMENT_KINDS.has(kind)

/** A shorter value, or one of words, is not a bank's number: `CT DEN: NGUYEN`. */
const LEAST_CHARACTERS = 6
const HAS_LEAST_DIGITS = /(?:\d\D*){4}/

/** Whether the bank gave this reference to this movement only. */
export const namesMovement = (reference: Reference): boolean =>
  isOfMovement(reference) && reference.value.length >= LEAST_CHARACTERS && HAS_LEAST_DIGITS.test(reference.value)

const lengths = new Map(shapes.map(({ kind, length }) => [kind, length]))

/** An SMS is not cut before this many characters. */
const SHORTEST_CUT_SMS = 130

/**
 * Whether an SMS may have lost its end. Some banks cut theirs without a mark.
 * @param sms  with its runs of blanks, which the bank counts too
 */
export const mayLackItsEnd = (sms: string): boolean => sms.length >= SHORTEST_CUT_SMS

/**
 * Whether a reference may lack its end, because it ends a long SMS that has no mark of a cut: `… THU HUONG FT2525170330`. Such an SMS may also lack
 * a number that another channel shows, so a number that does not name the movement contradicts none of that channel's.
 * @param sms  a whole text that may lack its end
 */
export const mayBeCut = (reference: Reference, sms: string): boolean => {
  const { kind, value } = reference
  return !isOfMovement(reference) || (value.length < (lengths.get(kind) ?? Infinity) && comparable(sms).endsWith(value))
}

/** A reference that may lack its end has a kind of its own, so that it contradicts neither the whole one nor another part of it. */
export const asCut = (reference: Reference): Reference => {
  const { kind, value } = reference
  return kind.endsWith('…') ? reference : { kind: `${kind} ${value}…`, value }
}

/** Values of one kind are compared in upper case and without separators: `MBVCB.911` equals `MBVCB 911`. */
export const comparable = (printed: string): string => printed.replaceAll('.', '').replaceAll(' ', '').toUpperCase()

export interface FoundReferences {
  /** The best one as printed. Null if there is none. */
  best: string | null
  all: Reference[]
}

/**
 * The bank's match is the first one, or the last one. The payer's own first one counts too, as a channel may show no other. A reference that
 * comes first and names the movement counts alone, because all channels show it.
 */
const matchesOf = ({ expression, last }: Shape, memo: string): RegExpExecArray[] => {
  expression.lastIndex = 0
  const first = expression.exec(memo)
  if (!first) return []
  if (!expression.global) return [first]
  let other = expression.exec(memo)
  if (!other) return [first]
  if (!last) return [first, other]
  for (let next = expression.exec(memo); next; next = expression.exec(memo)) other = next
  return [other, first]
}

/** Where a memo was cut: the position of its mark. Infinity if it was not. */
const cutOf = (memo: string): number => CUT.exec(memo)?.index ?? Infinity

/**
 * A reference at the end of a cut memo is left out, because it may lack its own end.
 * @param memo  the content, empty if there is none
 * @param labelled  the reference that the layout prints under its own label. It is better than any in the memo.
 * @param isApart  whether the payer cannot have written that label, because it opens a line or a cell
 */
export const findReferences = (memo: string, labelled: string | null, isApart = true): FoundReferences => {
  const all: Reference[] = labelled ? [{ kind: isApart ? LABELLED : SENDERS, value: comparable(labelled) }] : []
  let best = labelled
  // Every shape contains a run of digits.
  if (!/\d{4}/.test(memo)) return { best, all }
  const cut = cutOf(memo)
  const upper = memo.toUpperCase()
  for (const shape of shapes) {
    if (shape.word !== undefined && !upper.includes(shape.word)) continue
    for (const found of matchesOf(shape, memo)) {
      if (found.index + found[0].length >= cut) continue
      const printed = (found[1] ?? found[0]).replace(/[. ]+$/, '')
      best ??= printed
      const reference = { kind: shape.kind, value: comparable(printed) }
      // The payer has continued it, so its beginning alone may look whole.
      all.push(reference.value.length > (shape.length ?? Infinity) ? asCut(reference) : reference)
    }
  }
  return { best, all }
}

/**
 * The references of a memo that its bank breaks at a column. One that ends at a break may go on after it.
 * @param joined  the memo without any of its breaks
 */
export const acrossBreaks = (references: readonly Reference[], joined: string): Reference[] => {
  const { all } = findReferences(joined, null)
  return references.map((reference) =>
    all.some(({ kind, value }) => kind === reference.kind && value === reference.value) ? reference : asCut(reference),
  )
}
