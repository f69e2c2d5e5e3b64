/** The text among what was posted, and whether two names give two texts (decisions, "Trust", T2). */
import { storable } from './body-text.ts'
import { contains, isChain, placeIn } from './contains.ts'
import { asText, isPlaceholder, isReal } from './given.ts'
import type { KnownBody } from './known-bodies.ts'
import { isObject, memberAt, type Members } from './members.ts'
import { NAMES, plainName, type Path } from './names.ts'
import { stampOf } from './stamp.ts'

const textsAt = (sources: readonly Members[], paths: readonly Path[]): string[] => {
  const texts: string[] = []
  for (const path of paths) {
    for (const members of sources) {
      const text = asText(memberAt(members, path))
      if (text !== null) texts.push(text)
    }
  }
  return texts
}

const CUT = /(\.\.\.|…)\s*$/

const longest = (texts: readonly string[]): string | undefined =>
  texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  )

/** Where no known name holds a text: the longest value that is more than a word, such as under a name of the user's own. */
const longestProse = (value: unknown, depth = 0): string | undefined => {
  // A pattern that had to look behind the blanks would run out of stack on millions of them.
  if (typeof value === 'string') return /\s/.test(value.trim()) ? storable(value) : undefined
  if (!isObject(value) || depth > 4) return undefined
  return longest(Object.values(value).flatMap((member) => longestProse(member, depth + 1) ?? []))
}

/** Texts are compared without regard to how they are broken into lines, and without the mark of a cut. */
const comparable = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(CUT, '')

/** Characters of the shortest text that could be a bank's. */
const SHORTEST = 30
const SUM = /\d[.,]\d{3}(?!\d)/
/** More texts with sums than any app sends. */
const MOST_OTHERS = 20

/**
 * Texts under any name but a title's that print a sum: behind one of them a text may have put a second one under a known name.
 * @param known  the text that is not meant
 */
const othersWithSums = (value: unknown, known: string, isTop = true, depth = 0): string[] => {
  if (typeof value === 'string') {
    if (value === known) return []
    const isText = value.length >= SHORTEST && SUM.test(value) && /\s/.test(value)
    return isText && stampOf(value) === null ? [storable(value)] : []
  }
  if (!isObject(value) || depth > 4) return []
  if (Array.isArray(value)) return typeof value[0] === 'string' ? othersWithSums(value.join('\n'), known) : []
  return Object.entries(value).flatMap(([name, member]) =>
    isTop && TITLES.has(plainName(name)) ? [] : othersWithSums(member, known, false, depth + 1),
  )
}
const TITLES: ReadonlySet<string> = new Set(NAMES.title.flat())

/** An app's own lines before the message: the sender's name, no sum. */
const HEADER = /^[^\d\n]{0,60}\n$/

/** The message as it was, where the fullest text is it with lines of the app around it. */
const withoutLines = (original: string | undefined, fullest: string): string => {
  if (original === undefined) return fullest
  const before = placeIn(fullest, original)
  const rest = fullest.slice(before + original.length)
  const isWrapped = before >= 0 && HEADER.test(fullest.slice(0, before)) && /^(?:\n|$)/.test(rest)
  return isWrapped ? original : fullest
}

/**
 * Whether a text under another name is a part of the text, or the text with a header, such as a ticker's `Vietcombank: …`. A text in which sums
 * come first is the bank's own, and what it contains is a memo.
 */
const isPartOrHeaded = (other: string, text: string): boolean => {
  if (contains(text, other)) return true
  const before = placeIn(other, text)
  return before >= 0 && !/\d/.test(other.slice(0, before))
}

export interface FoundText {
  text: string
  /** Whether two texts were given of which neither contains the other. */
  isDoubtful: boolean
}

/** Where every value stands as it was given: the text itself; where that is cut, or also given unfolded, the longest. */
const asGiven = (real: readonly string[], unfolded: readonly string[]): string | undefined => {
  const [first] = real
  return first === undefined ? longest(unfolded) : longest([first, ...unfolded, ...(CUT.test(first) ? real : [])])
}

/**
 * Where a text may have named another one. Of two texts of which one contains the other, the longer: a text that names another would have to
 * repeat all that the bank printed before the memo, balance and time included.
 */
const judged = (
  value: unknown,
  sources: readonly Members[],
  known: KnownBody | null,
  all: readonly string[],
): FoundText | null => {
  const [first] = all
  if (first === undefined) return null
  if (all.length > 1 && !isChain(all.map(comparable))) {
    const own =
      known?.counts.text &&
      textsAt(
        sources,
        known.counts.text.map((name) => [name]),
      ).find(isReal)
    return { text: own ?? first, isDoubtful: own === undefined }
  }
  const fullest = longest(all)!
  const others = known ? [] : othersWithSums(value, fullest)
  const isDoubtful =
    others.length > MOST_OTHERS || !others.every((other) => isPartOrHeaded(comparable(other), comparable(fullest)))
  const [original] = textsAt(sources, [['orgcontent']]).filter(isReal)
  return { text: withoutLines(original, fullest), isDoubtful }
}

/**
 * The text among what was posted. Where there is nothing but an unfilled placeholder, that: the reader tells the user so.
 * @param value  the posted value, for unknown field names
 * @param sources  the members of the body, and of the query where there is one
 * @param known  the known app whose body it is; null for any other
 * @param isEscaped  whether no text can have named a field
 */
export const textIn = (
  value: unknown,
  sources: readonly Members[],
  known: KnownBody | null,
  isEscaped: boolean,
): FoundText => {
  const named = textsAt(sources, NAMES.text)
  const real = named.filter(isReal)
  const unfolded = textsAt(sources, NAMES.unfolded).filter(isReal)
  const found = isEscaped
    ? { text: asGiven(real, unfolded), isDoubtful: false }
    : judged(value, sources, known, [...real, ...unfolded])
  if (found?.text !== undefined) return { text: found.text, isDoubtful: found.isDoubtful }
  const placeholder = named.find(isPlaceholder)
  return { text: placeholder ?? (named.length > 0 ? '' : (longestProse(value) ?? '')), isDoubtful: false }
}
