/**
 * Labels and what stands behind them. A text is taken apart at its labels, so that it does not matter whether a table came as lines,
 * cells, bars or one long line: the value of a label is what stands between its end and the next label.
 */
import type { Page } from './page.ts'

/** What a label can stand before. `from` and `to` are the two sides of a transfer; `other` is read and left out. */
export const FIELDS = [
  'account', 'amount', 'balance', 'opening', 'fee', 'date', 'ref', 'content', 'direction', 'status',
  'from', 'from_name', 'from_bank', 'to', 'to_name', 'to_bank', 'other', 'end',
] as const // prettier-ignore
export type Field = (typeof FIELDS)[number]

export interface LabelTable {
  expression: RegExp
  fieldOf: ReadonlyMap<string, Field>
}

export interface Labelled {
  field: Field
  /** Where the label begins, and its value. */
  at: number
  start: number
  end: number
}

const key = (label: string): string => {
  const words = label.replaceAll('\n', ' ')
  return words.endsWith(':') ? words.slice(0, -1).trimEnd() : words
}

/**
 * @param names  labels of each field, without diacritics; `:` at the end makes it necessary, a leading line end means that the label opens
 *   a line. The longest label counts where several begin.
 */
export const compileLabels = (names: Partial<Record<Field, readonly string[]>>): LabelTable => {
  const fieldOf = new Map<string, Field>()
  const all: string[] = []
  for (const field of FIELDS)
    for (const name of names[field] ?? []) {
      const label = name.toLowerCase()
      fieldOf.set(key(label), field)
      all.push(label)
    }
  const sources = all
    .sort((a, b) => b.length - a.length)
    .map((label) => {
      const source = label
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/ /g, '[ \\n]')
        .replace(/:$/, ' ?:')
      return label.startsWith('\n') ? source : `(?<![a-z0-9])${source}`
    })
  return { expression: new RegExp(`(?:${sources.join('|')})(?![a-z])`, 'g'), fieldOf }
}

const MARKS = ' \n:|*/='

/** No bank prints a tenth of it; more would cost time and tell nothing. */
const MOST_LABELS = 500

/** Whether something opens a line or a cell. */
export const opensCell = (shadow: string, at: number): boolean =>
  at === 0 || shadow[at] === '\n' || /[\n|] ?$/.test(shadow.slice(Math.max(0, at - 2), at))

/**
 * The labels of a page in their order, each with its value's place, marks around it left out.
 * @param counts  whether a label that was found is one; words of a memo may look like it
 */
export const labelsIn = (
  { shadow }: Page,
  { expression, fieldOf }: LabelTable,
  counts: (field: Field, at: number) => boolean = () => true,
): Labelled[] => {
  const found: { match: RegExpExecArray; field: Field }[] = []
  for (const match of shadow.matchAll(expression)) {
    const field = fieldOf.get(key(match[0])) ?? 'other'
    if (counts(field, match.index)) found.push({ match, field })
    if (found.length === MOST_LABELS) break
  }
  return found.map(({ match, field }, place) => {
    let start = match.index + match[0].length
    let end = found[place + 1]?.match.index ?? shadow.length
    while (start < end && MARKS.includes(shadow.charAt(start))) start += 1
    while (end > start && MARKS.includes(shadow.charAt(end - 1))) end -= 1
    return { field, at: match.index, start, end }
  })
}
