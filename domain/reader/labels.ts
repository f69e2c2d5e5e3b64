// Tests: tests/unit/domain/reader/corpus.test.ts
/**
 * Labels and their values. A text is split at its labels, so it does not matter whether a table arrived as lines, cells, bars or
 * one long line: the value of a label is the text between its end and the next label.
 */
import { lazy } from '../lazy.ts'
import type { Page } from './page.ts'
import { matchesIn } from '../text.ts'

/** The kinds of labelled values. `from` and `to` are the two sides of a transfer. `other` is recognised and ignored. */
const FIELDS = [
  'account', 'amount', 'balance', 'opening', 'fee', 'date', 'ref', 'content', 'direction', 'status',
  'from', 'from_name', 'from_bank', 'to', 'to_name', 'to_bank', 'other', 'end',
] as const // prettier-ignore
export type Field = (typeof FIELDS)[number]

export interface LabelTable {
  readonly expression: RegExp
  readonly fieldOf: ReadonlyMap<string, Field>
}

export interface Labelled {
  field: Field
  /** `at` is the start of the label. `start` and `end` delimit its value. */
  at: number
  start: number
  end: number
}

const key = (label: string): string => {
  const words = label.replaceAll('\n', ' ')
  return words.endsWith(':') ? words.slice(0, -1).trimEnd() : words
}

/** The characters of a label as parts of an expression. A colon at the end may follow a blank. */
const partsOf = (label: string): string[] =>
  Array.from(label, (character, index) => {
    if (character === ' ') return '[ \\n]'
    if (character === ':' && index === label.length - 1) return ' ?:'
    return character.replace(/[.*+?^${}()|[\]\\]/, '\\$&')
  })

/**
 * Labels as a tree of their parts, so that a search compares few of them at each position. As a list it takes up to nine times as long,
 * depending on the text with which V8 compiles it.
 * @param labels  the longest first
 */
const treeOf = (labels: readonly string[][]): string => {
  const branches = new Map<string, string[][]>()
  for (const [first = '', ...rest] of labels) branches.set(first, [...(branches.get(first) ?? []), rest])
  const sources = [...branches].map(([first, rests]) => (first === '' ? '' : first + treeOf(rests)))
  return sources.length > 1 ? `(?:${sources.join('|')})` : (sources[0] ?? '')
}

/** The labels of each field. */
export type LabelNames = Partial<Record<Field, readonly string[]>>

/**
 * The table is compiled when it is first used.
 * @param names  without diacritics. A label that ends in `:` matches only with the colon. A label that begins with a line end
 *   matches only at the start of a line. If several labels match at one position, the longest counts.
 */
export const compileLabels = (names: LabelNames): LabelTable => {
  const table = lazy(() => tableOf(names))
  return {
    get expression() {
      return table().expression
    },
    get fieldOf() {
      return table().fieldOf
    },
  }
}

const tableOf = (names: LabelNames): LabelTable => {
  const fieldOf = new Map<string, Field>()
  const all: string[] = []
  for (const field of FIELDS)
    for (const name of names[field] ?? []) {
      const label = name.toLowerCase()
      fieldOf.set(key(label), field)
      all.push(label)
    }
  all.sort((a, b) => b.length - a.length)
  const [atLines = '', atWords = ''] = [true, false].map((atLine) =>
    treeOf(all.filter((label) => label.startsWith('\n') === atLine).map(partsOf)),
  )
  // The common condition of all words is checked once, which makes a search twice as fast.
  const words = `(?<![a-z0-9])${atWords}`
  return { expression: new RegExp(`(?:${atLines && `${atLines}|`}${words})(?![a-z])`, 'g'), fieldOf }
}

const MARKS = ' \n:|*/='

/** Banks print less than a tenth of this number. More would cost time and add no information. */
const MOST_LABELS = 500

/** Whether a position is at the start of a line or cell. */
export const opensCell = (shadow: string, at: number): boolean =>
  at === 0 || shadow[at] === '\n' || /[\n|] ?$/.test(shadow.slice(Math.max(0, at - 2), at))

/** Whether a position is at the start of a line, or after the bar that opens the line. */
export const opensRow = (shadow: string, at: number): boolean =>
  at === 0 || shadow[at] === '\n' || /(?:^|\n)[ |]{0,3}$/.test(shadow.slice(Math.max(0, at - 4), at))

/**
 * How the labels after a memo begin, if the memo's own label opens a line or a cell. A bar in the line of a memo is the payer's.
 * @returns whether a position is at the start of a line, or of a cell if the memo's label follows a bar. Null if it opens neither.
 */
export const opensLikeMemo = (shadow: string, memoAt: number): ((at: number) => boolean) | null => {
  if (opensRow(shadow, memoAt)) return (at) => opensRow(shadow, at)
  return opensCell(shadow, memoAt) ? (at) => opensCell(shadow, at) : null
}

/**
 * The labels of a page in order. Each has the position of its value, without the marks around it.
 * @param counts  whether a matched label is a real one, since words of a memo may look like a label. Gets where the label begins and ends.
 */
export const labelsIn = (
  { shadow }: Page,
  { expression, fieldOf }: LabelTable,
  counts: (field: Field, at: number, end: number) => boolean = () => true,
): Labelled[] => {
  const found: { match: RegExpExecArray; field: Field }[] = []
  for (const match of matchesIn(shadow, expression)) {
    const field = fieldOf.get(key(match[0])) ?? 'other'
    if (counts(field, match.index, match.index + match[0].length)) found.push({ match, field })
    if (found.length === MOST_LABELS) break
  }
  return found.map(({ match, field }, index) => {
    let start = match.index + match[0].length
    let end = found[index + 1]?.match.index ?? shadow.length
    while (start < end && MARKS.includes(shadow.charAt(start))) start += 1
    while (end > start && MARKS.includes(shadow.charAt(end - 1))) end -= 1
    return { field, at: match.index, start, end }
  })
}
