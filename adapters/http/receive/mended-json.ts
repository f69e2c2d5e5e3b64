// Tests: tests/unit/adapters/http/receive/nothing-lost.test.ts
/**
 * Repairs JSON that a template wrote or that was cut on its way. Escapes raw control characters inside strings, drops a comma before a
 * closing bracket, and closes what is still open at the end. Reads each character once, because a regular expression that finds strings
 * would take hours for some bodies.
 */

const FIRST_PRINTABLE = 0x20
const CLOSES: Readonly<Record<string, string>> = { '{': '}', '[': ']' }
const ENDS_IN_COMMA = /,\s*$/

/** @returns a text that may still not be JSON */
export const mendedJson = (json: string): string => {
  const open: string[] = []
  let mended = ''
  let inString = false
  let taken = 0
  const take = (end: number, replacement: string, next: number): void => {
    mended += json.slice(taken, end) + replacement
    taken = next
  }
  /** Index of the last comma outside strings, if only whitespace has followed it; else -1. */
  let comma = -1
  for (let index = 0; index < json.length; index++) {
    const character = json[index]!
    if (inString) {
      if (character === '\\') index++
      else if (character === '"') inString = false
      else if (character.charCodeAt(0) < FIRST_PRINTABLE)
        take(index, `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`, index + 1)
      continue
    }
    if (character === '}' || character === ']') {
      if (comma >= 0) take(comma, '', comma + 1)
      open.pop()
    } else if (character === '{' || character === '[') open.push(CLOSES[character]!)
    else if (character === '"') inString = true
    if (character === ',') comma = index
    else if (character > ' ') comma = -1
  }
  mended += json.slice(taken)
  const ended = inString ? `${endedEscape(mended)}"` : mended.replace(ENDS_IN_COMMA, '')
  return ended + open.toReversed().join('')
}

/** Without an escape that the cut has left unfinished. */
const endedEscape = (text: string): string => {
  const [escape] = /\\u[0-9a-f]{0,3}$/i.exec(text.slice(-6)) ?? []
  if (escape && isEscape(text, text.length - escape.length)) return text.slice(0, -escape.length)
  return text.endsWith('\\') && isEscape(text, text.length - 1) ? text.slice(0, -1) : text
}

/** Whether a backslash begins an escape, rather than being the second of a pair. */
const isEscape = (text: string, at: number): boolean => {
  let first = at
  while (first > 0 && text[first - 1] === '\\') first--
  return (at - first) % 2 === 0
}
