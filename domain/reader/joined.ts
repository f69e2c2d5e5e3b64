// Tests: tests/unit/domain/reader/mutations.test.ts
/** Two notifications that an app joined in one text, by a line end or by a blank. */
import { toMinor } from '../money.ts'
import type { Page } from './page.ts'
import type { Reading } from './reading.ts'

/** A text in a form in which `0` stands for any number and `+` for either sign. */
const shapeOf = (line: string): string => line.replace(/\d[\d.,]*/g, '0').replaceAll('-', '+')

/** How a line begins: its words before a number, or up to five numbers and other characters. */
const OPENING = /^\D{2,60}|^(?:\d[\d.,]*(?![\d.,])|\D){2,5}/

/** @param opening  a shape. Without a number, it has the length of any words with this shape. */
const begins = (line: string, opening: string): boolean =>
  opening.includes('0')
    ? shapeOf(line.charAt(0)) === opening[0] && shapeOf(line).startsWith(opening)
    : line.slice(0, opening.length).replaceAll('-', '+') === opening

/** The words with which a text begins. Empty if it begins with a number. */
const FIRST_WORDS = /^[^\d\n+-]{2,60}/
const BALANCE_LABEL = /(?<![a-z])(?:sd|so ?du|bal)/g
/** Beginnings of a text that are looked at in a line. More are a payer's. */
const MOST_BEGINNINGS = 3

/** Index of the last label of a balance; -1 if there is none. Found once, because a search from each beginning would take quadratic time. */
const lastBalanceLabel = (shadow: string): number => {
  let last = -1
  for (const { index } of shadow.matchAll(BALANCE_LABEL)) last = index
  return last
}

/** Where a text may begin once more in the same line, with a balance after it. */
const beginningsWithin = (shadow: string, start: number): number[] => {
  const beginnings: number[] = []
  let lastLabel: number | undefined
  const [words] = FIRST_WORDS.exec(start === 0 ? shadow : shadow.slice(start)) ?? []
  const note = (at: number): void => {
    if (/[a-z0-9]/.test(shadow[at - 1]!)) return
    lastLabel ??= lastBalanceLabel(shadow)
    if (lastLabel >= at) beginnings.push(at)
  }
  if (words !== undefined)
    for (
      let at = shadow.indexOf(words, start + 1);
      at >= 0 && beginnings.length < MOST_BEGINNINGS;
      at = shadow.indexOf(words, at + 1)
    )
      note(at)
  else {
    const opening = shapeOf(shadow.slice(start, start + 20)).slice(0, 5)
    const mark = shadow.slice(start, start + 20).search(/[^\d+-]/)
    for (
      let at = shadow.indexOf(' ', start);
      at >= 0 && beginnings.length < MOST_BEGINNINGS;
      at = shadow.indexOf(' ', at + 1)
    )
      if (shadow[at + 1 + mark] === shadow[start + mark])
        if (shapeOf(shadow.slice(at + 1, at + 21)).startsWith(opening)) note(at + 1)
  }
  return beginnings
}

/**
 * Whether two texts report two movements of one account, one right after the other: the balance of one is that of the other, moved. A payer may
 * write a whole text of the bank, but knows no balance.
 */
const areNeighbours = (first: Reading, second: Reading): boolean => {
  const [before, after] = [first.balance_after, second.balance_after]
  if (before === null || after === null || first.account_number !== second.account_number) return false
  const movedBy = ({ transaction_type, amount }: Reading) =>
    toMinor(amount) * (transaction_type === 'credit' ? 1n : -1n)
  const difference = toMinor(after) - toMinor(before)
  return difference === movedBy(second) || difference === -movedBy(first)
}

type ReadPart = (start: number, end?: number, how?: How) => Reading | 'several' | null
/** `layout`: only with a layout of a bank, as the memo of a bank may fill a line, and end in words that labels can read. */
export type How = 'layout' | 'any'

/** In a line in which a notification begins. */
const ACCOUNT_LABEL = /(?<![a-z])(?:s?tk|sdtk|tai khoan|acc(?:(?:oun)?t)?|a\/c)(?![a-z])/
/** No notification is shorter, in characters. */
const SHORTEST = 45
/** Lines that are tried. A notification before another one has fewer with an account. */
const MOST_LINES = 3

/** Whether a notification of another bank or form begins in a later line. A payer cannot write a line end. */
const isJoinedToOther = ({ shadow }: Page, readPart: ReadPart): boolean => {
  let tried = 0
  const first = shadow.search(ACCOUNT_LABEL)
  if (first < 0) return false
  for (let end = shadow.indexOf('\n', SHORTEST); end >= 0 && tried < MOST_LINES; end = shadow.indexOf('\n', end + 1)) {
    if (end < first || !ACCOUNT_LABEL.test(shadow.slice(end, end + SHORTEST))) continue
    tried++
    // An app's template may have the text twice.
    const isSame = shadow.slice(0, end).endsWith(shadow.slice(end).trim())
    if (!isSame && readPart(end + 1, undefined, 'layout') !== null && readPart(0, end) !== null) return true
  }
  return false
}

/** Whether another notification begins in a later line, in the same way as the first. One line, such as a title, may precede it, and begin like it. */
const isJoinedByLines = ({ shadow }: Page, readPart: ReadPart): boolean => {
  const lines = shadow.split('\n')
  const startOf = (line: number): number => lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0)
  return [0, 1].some((first) => {
    const opening = shapeOf(OPENING.exec(lines[first]!)?.[0] ?? '')
    const next = opening ? lines.findIndex((line, at) => at > first && begins(line, opening)) : -1
    if (next < 0) return false
    const [start, end] = [startOf(first), startOf(next)]
    // An app's template may have the text twice.
    const isSame = shadow.slice(start, end).trim() === shadow.slice(end).trim()
    return !isSame && readPart(end) !== null && readPart(start, end - 1) !== null
  })
}

/**
 * Whether another notification begins within a line, in the same way as the first or as the second line. The two must be neighbours, because a
 * payer can write no line end, but may write such a text.
 */
const isJoinedByBlank = ({ shadow }: Page, readPart: ReadPart): boolean => {
  const second = shadow.indexOf('\n') + 1
  return (second > 0 ? [0, second] : [0]).some((start) =>
    beginningsWithin(shadow, start).some((at) => {
      const [one, other] = [readPart(start, at), readPart(at)]
      return one && other && one !== 'several' && other !== 'several' && areNeighbours(one, other)
    }),
  )
}

/**
 * Whether an app joined two notifications. The first one's memo would contain the second's order id.
 * @param readPage  reads one of them. `several`: more than one bank prints it like that, with different values
 */
export const isJoined = (page: Page, readPage: (part: Page, how: How) => Reading | 'several' | null): boolean => {
  const readPart: ReadPart = (start, end, how = 'any') =>
    readPage({ text: page.text.slice(start, end).trimEnd(), shadow: page.shadow.slice(start, end).trimEnd() }, how)
  const hasLines = page.shadow.includes('\n')
  return (
    (hasLines && (isJoinedByLines(page, readPart) || isJoinedToOther(page, readPart))) ||
    isJoinedByBlank(page, readPart)
  )
}
