// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/**
 * The values given for one field. Whether a field was given and what its value is are separate facts (decisions, "Trust", T1). A blank
 * value, an unfilled placeholder and any value that is not text count as given but unknown.
 */
import { storable } from './body-text.ts'
import { isChain } from './text-search.ts'
import { memberAt, type Members } from './members.ts'
import type { Path } from './field-names.ts'

const PLACEHOLDER =
  /\{\{?[a-z_][\w. =]*\}?\}|\$\{[\w.]+\}|%[a-z_]\w*(?:\(\w*\))?%?|\[\[?[a-z_][\w. =]*\]?\]|<[a-z_]\w*>/gi

/** Placeholders of templates are shorter. */
const PLACEHOLDERS_LENGTH = 200

/** Whether a text consists only of placeholders that no app has filled, such as `{not_title}`, `%antext` or `[from]`. */
export const isPlaceholder = (text: string): boolean => {
  if (text.length > PLACEHOLDERS_LENGTH || !/[{%[<]/.test(text)) return false
  return !/[\p{L}\p{N}]/u.test(text.replace(PLACEHOLDER, ''))
}

export const isReal = (text: string): boolean => text.trim() !== '' && !isPlaceholder(text)

/** A text as it is, a number as text, a list of lines joined; null for any other value. */
export const asText = (value: unknown): string | null => {
  if (typeof value === 'string') return storable(value)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string'))
    return storable(value.join('\n'))
  return null
}

/** The name of an origin is one line of text or a number. Any other value is unknown: the empty string. */
const asName = (value: unknown): string => {
  const text = typeof value === 'string' || typeof value === 'number' ? storable(String(value)).trim() : ''
  return isReal(text) ? text : ''
}

export interface Given {
  /** Every value in the order of the names; the empty string for an unknown value. */
  values: readonly string[]
  /** Whether one of the members is `null`. */
  isNull: boolean
}

/** @param sources  the members of the body and, if there is one, of the query */
export const givenAt = (sources: readonly Members[], paths: readonly Path[]): Given => {
  const values: string[] = []
  let isNull = false
  for (const path of paths) {
    for (const members of sources) {
      const value = memberAt(members, path)
      if (value === null) isNull = true
      else if (value !== undefined) values.push(asName(value))
    }
  }
  return { values, isNull }
}

const itself = (value: string): string => value

/**
 * The one value of a field that names an origin.
 * @param keyOf  values with the same key are the same value
 * @returns undefined if no value was given; the empty string if it is not certain which value is true
 */
export const onlyValue = ({ values, isNull }: Given, keyOf = itself): string | undefined => {
  const [first] = values
  if (first === undefined) return isNull ? '' : undefined
  return values.every((value) => keyOf(value) === keyOf(first)) ? first : ''
}

/** Whether there are two known values of which neither contains the other. */
export const disagree = (values: readonly string[], keyOf = itself): boolean =>
  values.length > 1 && !isChain(values.filter(Boolean).map(keyOf))
