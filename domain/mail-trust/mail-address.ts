// Tests: tests/unit/domain/mail-trust/mail-trust.test.ts
/**
 * Extracts the addresses in a mail's From, To and Cc, without their display names (RFC 5322, section 3.4). The cost is linear in
 * the header's length.
 */

/** A longer header is ignored. In characters. */
const LONGEST = 64 * 1024

/** Removes comments and quoted strings, which may contain anything. Returns '' if one is not closed. */
const withoutTalk = (header: string): string => {
  const plain: string[] = []
  let depth = 0
  let isQuoted = false
  let from = 0
  for (let at = 0; at < header.length; at++) {
    const character = header[at]!
    const isTalk = isQuoted || depth > 0
    if (character === '\\' && isTalk) at++
    else if (isQuoted) {
      isQuoted = character !== '"'
      if (!isQuoted) from = at + 1
    } else if (character === '(' || (character === ')' && depth > 0)) {
      // A comment separates words: `boss(x)@example.com` is not an address.
      if (depth === 0) plain.push(header.slice(from, at), ' ')
      depth += character === '(' ? 1 : -1
      from = at + 1
    } else if (character === '"' && depth === 0) {
      isQuoted = true
      // Marks the removed string: `"x"@example.com` is not the address `@example.com`, nor is the text after it an address.
      plain.push(header.slice(from, at), '"')
    }
  }
  plain.push(header.slice(from))
  return isQuoted || depth > 0 ? '' : plain.join('')
}

const ADDRESS = /^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u

/** The address of one entry: the text in its angle brackets, or the whole entry. '' if it is not one address. */
const addressIn = (entry: string): string => {
  const open = entry.indexOf('<')
  // The address follows a group's name: `shops: a@example.com`.
  const shown = open < 0 ? entry.slice(entry.indexOf(':') + 1) : ''
  const close = entry.indexOf('>', open)
  const isOne = open >= 0 && close > open && entry.lastIndexOf('<') === open && entry.lastIndexOf('>') === close
  return (isOne ? entry.slice(open + 1, close) : shown).trim()
}

/** @returns addresses in lower case. Other entries are skipped. */
export const addressesIn = (header: string): string[] =>
  header.length > LONGEST
    ? []
    : withoutTalk(header)
        .split(/[,;]/)
        .map(addressIn)
        .filter((address) => ADDRESS.test(address))
        .map((address) => address.toLowerCase())
