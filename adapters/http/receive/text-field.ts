// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/** Finds the notification's text in a posted value, and whether two names give two different texts (decisions, "Trust", T2). */
import { storable } from './body-text.ts'
import { contains, isChain, indexIn } from './text-search.ts'
import { asText, isPlaceholder, isReal } from './given-values.ts'
import type { KnownBody } from './known-bodies.ts'
import { isObject, memberAt, type Members } from './members.ts'
import { NAMES, plainName, type Path } from './field-names.ts'
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

/** If no known name holds a text: the longest value of more than one word, such as one under a name that the user chose. */
const longestProse = (value: unknown, depth = 0): string | undefined => {
  // Trimmed first: a regular expression that skips the whitespace itself would overflow the stack on millions of blanks.
  if (typeof value === 'string') return /\s/.test(value.trim()) ? storable(value) : undefined
  if (!isObject(value) || depth > 4) return undefined
  return longest(Object.values(value).flatMap((member) => longestProse(member, depth + 1) ?? []))
}

/** The form in which texts are compared: without line breaks and without a trailing ellipsis. */
const comparable = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(CUT, '')

/** Length of the shortest text that could be from a bank. */
const SHORTEST = 30
const SUM = /\d[.,]\d{3}(?!\d)/
/** Most texts with amounts. Apps send fewer. */
const MOST_OTHERS = 20

/**
 * Texts that contain an amount, under any name except a title's. One of them may be the real text, and may have injected a second text
 * under a known name.
 * @param known  the text to leave out
 */
const othersWithSums = (value: unknown, known: string, isTop = true, depth = 0): string[] => {
  if (typeof value === 'string') {
    if (value === known) return []
    const isText = value.length >= SHORTEST && SUM.test(value) && /\s/.test(value)
    return isText && stampOf(value) === null ? [storable(value)] : []
  }
  if (!isObject(value) || depth > 4) return []
  if (Array.isArray(value)) {
    // Only texts are joined: a list or an object without a usable `toString` would make `join` throw.
    const lines = value.filter((line) => typeof line === 'string')
    return othersWithSums(lines.join('\n'), known)
  }
  return Object.entries(value).flatMap(([name, member]) =>
    isTop && TITLES.has(plainName(name)) ? [] : othersWithSums(member, known, false, depth + 1),
  )
}
const TITLES: ReadonlySet<string> = new Set(NAMES.title.flat())

/** A line that an app adds before the message: the sender's name, without digits. */
const HEADER = /^[^\d\n]{0,60}\n$/

/** Returns the original message if the longest text is that message with lines of the app around it. */
const withoutLines = (original: string | undefined, fullest: string): string => {
  if (original === undefined) return fullest
  const before = indexIn(fullest, original)
  const rest = fullest.slice(before + original.length)
  const isWrapped = before >= 0 && HEADER.test(fullest.slice(0, before)) && /^(?:\n|$)/.test(rest)
  return isWrapped ? original : fullest
}

/**
 * Whether a text under another name is a part of the text, or is the text with a header, such as a ticker's `Vietcombank: …`. If digits
 * precede the contained text, the outer text is the bank's own and the contained text is a memo.
 */
const isPartOrHeaded = (other: string, text: string): boolean => {
  if (contains(text, other)) return true
  const before = indexIn(other, text)
  return before >= 0 && !/\d/.test(other.slice(0, before))
}

export interface FoundText {
  text: string
  /** Whether two texts were given and neither contains the other. */
  isDoubtful: boolean
  /** Whether no text was found, under any name. */
  isMissing?: boolean
}

/** For values that no text can have injected: the text itself, or the longest text if it is truncated or also given expanded. */
const asGiven = (real: readonly string[], unfolded: readonly string[]): string | undefined => {
  const [first] = real
  return first === undefined ? longest(unfolded) : longest([first, ...unfolded, ...(CUT.test(first) ? real : [])])
}

/**
 * For values that a text may have injected. If one of two texts contains the other, the longer one is used: an injected text would have to
 * repeat everything that the bank printed before the memo, including balance and time.
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
 * Finds the text in a posted value. If there is only an unfilled placeholder, returns that, and the reader reports it to the user.
 * @param value  the posted value, for unknown field names
 * @param sources  the members of the body and, if there is one, of the query
 * @param known  the known app that the body is from; null for any other body
 * @param isEscaped  whether no text can have injected a field
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
  const text = placeholder ?? (named.length > 0 ? '' : longestProse(value))
  return { text: text ?? '', isDoubtful: false, isMissing: text === undefined }
}
