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
  /** The whole match is the reference, or its group 1 if it has a label. */
  expression: RegExp
  /** The bank gives each movement its own reference of this kind. */
  movement?: true
  /** The bank puts it behind the payer's words, so the last match is the bank's. Needs the flag `g`. */
  last?: true
  /** Characters of its value, if all have the same number. */
  length?: number
}

/** Kind of a reference that a layout prints under its own label, outside the memo. */
const LABELLED = 'Ma giao dich'
/** Kind of a reference with such a label that the payer may have written. */
const SENDERS = 'Ma tham chieu'

const shapes: readonly Shape[] = [
  { kind: 'ACSP', expression: /\bACSP\/ ?([0-9A-Z]{6,24})/i, movement: true, length: 8 },
  { kind: 'Trace', expression: /\bTrace[ :]{0,2}(\d{4,12})(?!\d)/i, length: 6 },
  /** VCB for interbank transfers: six digits, day, time. */
  { kind: 'dotted', expression: /(?<![\d.])\d{6}\.\d{6}\.\d{6}(?!\d)/, movement: true, length: 18 },
  { kind: 'MBVCB', expression: /\bMBVCB[. ]?\d{1,15}/i, movement: true },
  /** NAPAS: 0200, BIN of the sending bank, then its number. Some senders put one more zero before the BIN. */
  { kind: 'NAPAS', expression: /(?<![0-9A-Z])0200\d{6}[0-9A-Z]{14,34}/i, movement: true },
  /** May contain one of the next kind. */
  { kind: 'GD', expression: /\bGD ([0-9A-Z]{6,20})[ -]\d{6}[ -]\d{2}:\d{2}:\d{2}/gi, movement: true, last: true },
  { kind: 'IBT', expression: /(?<![0-9A-Z])\d{4}IBT\d[0-9A-Z]{8,14}/i, movement: true },
  { kind: 'Ecom', expression: /\bEcom\.[0-9A-Z]{6,24}/i, movement: true },
  /** MB may break its memo at a dot, and a text may be cut there. */
  { kind: 'IBBIZ', expression: /\bIBBIZ\.\d{6,24}(?: ?\. ?(?:\d{1,3}(?!\d))?)?/i },
  { kind: 'CK', expression: /\bCK\d{14}(?!\d)/i, length: 16 },
  { kind: 'CTLNHID', expression: /\bCTLNHID[IO]\d{10,20}/i, movement: true, length: 23 },
  { kind: 'FT', expression: /\bFT\d{9,16}(?!\d)/i, movement: true, length: 16 },
  { kind: 'CT', expression: /\bCT (?:DEN|DI): ?([0-9A-Z]{6,24})/i, movement: true },
  { kind: 'So GD', expression: /\bSo GD(?: goc)?: ?([0-9A-Z]{6,30})/i },
  { kind: SENDERS, expression: /\bMa (?:tham chieu|giao dich|GD)[: ]{1,2}(?=[A-Z]{0,20}\d)([0-9A-Z]{5,30})/i },
  /** Milliseconds since 1970, then a code (TCB's own bookings). */
  { kind: 'epoch', expression: /(?<![0-9A-Z])1\d{12}[0-9A-Z]{6,8}(?![0-9A-Z])/i, movement: true },
]

/** Kinds of references that identify one movement. */
const MOVEMENT_KINDS: ReadonlySet<string> = new Set([
  LABELLED,
  ...shapes.filter(({ movement }) => movement).map(({ kind }) => kind),
])

/** A shorter value, or one of words, is not a bank's number: `CT DEN: NGUYEN`. */
const LEAST_CHARACTERS = 6
const HAS_LEAST_DIGITS = /(?:\d\D*){4}/

/** Whether the bank gave this reference to this movement only. */
export const namesMovement = ({ kind, value }: Reference): boolean =>
  MOVEMENT_KINDS.has(kind) && value.length >= LEAST_CHARACTERS && HAS_LEAST_DIGITS.test(value)

const lengths = new Map(shapes.map(({ kind, length }) => [kind, length]))

/** An SMS is not cut before this many characters. Some banks cut theirs without a mark. */
const SHORTEST_CUT_SMS = 130

/**
 * Whether a reference may lack its end, because it ends a long SMS that has no mark of a cut: `… THU HUONG FT2525170330`.
 * @param sms  the whole text
 */
export const mayBeCut = ({ kind, value }: Reference, sms: string): boolean =>
  sms.length >= SHORTEST_CUT_SMS && value.length < (lengths.get(kind) ?? Infinity) && comparable(sms).endsWith(value)

/** Values of one kind are compared in upper case and without separators: `MBVCB.911` equals `MBVCB 911`. */
export const comparable = (printed: string): string => printed.replace(/[. ]/g, '').toUpperCase()

export interface FoundReferences {
  /** The best one as printed. Null if there is none. */
  best: string | null
  all: Reference[]
}

/**
 * The bank's match comes first. Where it is the last one, the payer may have written the one before it, which is the last one in a channel that
 * does not show the bank's.
 */
const matchesOf = ({ expression, last }: Shape, memo: string): RegExpExecArray[] => {
  if (last) return [...memo.matchAll(expression)].slice(-2).toReversed()
  const found = expression.exec(memo)
  return found ? [found] : []
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
  for (const shape of shapes)
    for (const found of matchesOf(shape, memo)) {
      if (found.index + found[0].length >= cut) continue
      const printed = (found[1] ?? found[0]).replace(/[. ]+$/, '')
      best ??= printed
      all.push({ kind: shape.kind, value: comparable(printed) })
    }
  return { best, all }
}
