/**
 * Addresses in a mail's From, To and Cc: what they are, not what name is shown for them (RFC 5322, section 3.4). The cost is
 * linear in the header's length.
 */

/** A longer header is ignored. Characters. */
const LONGEST = 64 * 1024

/** Without comments and quoted strings, which may hold anything; '' where one is left open. */
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
      // A comment parts words: `boss(x)@example.com` is read as no address.
      if (depth === 0) plain.push(header.slice(from, at), ' ')
      depth += character === '(' ? 1 : -1
      from = at + 1
    } else if (character === '"' && depth === 0) {
      isQuoted = true
      // Something stood here: `"x"@example.com` is not the address `@example.com`, nor is what follows it one.
      plain.push(header.slice(from, at), '"')
    }
  }
  plain.push(header.slice(from))
  return isQuoted || depth > 0 ? '' : plain.join('')
}

const ADDRESS = /^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u

/** The address of one entry: between its angle brackets, or all of it; '' where it is not one. */
const addressIn = (entry: string): string => {
  const open = entry.indexOf('<')
  // Behind a group's name: `shops: a@example.com`.
  const shown = open < 0 ? entry.slice(entry.indexOf(':') + 1) : ''
  const close = entry.indexOf('>', open)
  const isOne = open >= 0 && close > open && entry.lastIndexOf('<') === open && entry.lastIndexOf('>') === close
  return (isOne ? entry.slice(open + 1, close) : shown).trim()
}

/** @returns addresses in lower case; what is not one is passed over */
export const addressesIn = (header: string): string[] =>
  header.length > LONGEST
    ? []
    : withoutTalk(header)
        .split(/[,;]/)
        .map(addressIn)
        .filter((address) => ADDRESS.test(address))
        .map((address) => address.toLowerCase())
