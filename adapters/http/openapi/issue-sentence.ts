/** The problem of a value of a request, in one plain sentence. Zod's own messages suit only programmers. */
import type { z } from 'zod'

/** How zod's own messages begin. Any other message is the schema's own. */
const OF_ZOD = /^(?:Invalid (?:input|option)|Too (?:small|big):)/

const NOUNS: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  number: ['a number'],
  int: ['a whole number'],
  boolean: ['true', 'false'],
  array: ['a list'],
  object: ['an object'],
}

const orOf = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

/** The accepted values, or kinds of values. None if the issue is about something else. */
const acceptedIn = (issue: z.core.$ZodIssue): readonly string[] => {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code === 'invalid_type') return NOUNS[issue.expected] ?? []
  if (issue.code !== 'invalid_union') return []
  const accepted = issue.errors.map(([first]) => (first?.path.length === 0 ? acceptedIn(first) : []))
  return accepted.some(({ length }) => length === 0) ? [] : [...new Set(accepted.flat())]
}

const COUNTED: Readonly<Record<string, string>> = { string: 'character', array: 'item' }

const boundOf = (issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string => {
  const isMinimum = issue.code === 'too_small'
  const bound = isMinimum ? issue.minimum : issue.maximum
  const counted = COUNTED[issue.origin]
  if (counted === undefined) {
    if (issue.inclusive === false) return `This must be ${isMinimum ? 'more' : 'less'} than ${bound}.`
    return `This must be at ${isMinimum ? 'least' : 'most'} ${bound}.`
  }
  if (isMinimum && Number(bound) === 1) return 'This must not be empty.'
  return `This must have at ${isMinimum ? 'least' : 'most'} ${bound} ${counted}${Number(bound) === 1 ? '' : 's'}.`
}

export const sentenceOf = (issue: z.core.$ZodIssue): string => {
  const { code, message, path } = issue
  if (!OF_ZOD.test(message)) return message
  if (message.endsWith(', received undefined')) return 'This field is required.'
  if (code === 'too_small' || code === 'too_big') return boundOf(issue)
  if (code === 'invalid_type' && issue.expected === 'object' && path.length === 0)
    return 'The body must be a JSON object.'
  const accepted = acceptedIn(issue)
  if (accepted.length === 0) return 'This value is not valid.'
  return `This must be ${orOf(accepted)}${message.endsWith(', received null') ? ', not null' : ''}.`
}
