/** Addresses in a mail's From, To and Cc: what they are, not what name is shown for them (RFC 5322, section 3.4). */

/** A header longer than this is nobody's list of recipients to look through. Characters. */
const LONGEST = 64 * 1024

/** Without comments and quoted strings, which may hold anything; a quote left open swallows the rest. */
const withoutTalk = (header: string): string => {
  let plain = ''
  let depth = 0
  let quoted = false
  for (let at = 0; at < header.length; at++) {
    const character = header[at]!
    if (character === '\\' && (quoted || depth > 0)) at++
    else if (quoted) quoted = character !== '"'
    else if (depth > 0) depth += character === '(' ? 1 : character === ')' ? -1 : 0
    else if (character === '"') {
      quoted = true
      // Something stood here: `"x"@example.com` is not the address `@example.com`, nor is what follows it one.
      plain += '"'
    } else if (character === '(') depth = 1
    else plain += character
  }
  return plain
}

const ADDRESS = /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/

/** @returns addresses in lower case; what is not one is passed over */
export const addressesIn = (header: string): string[] =>
  withoutTalk(header.slice(0, LONGEST))
    .split(/[,;]/)
    .flatMap((entry) => {
      const angles = [...entry.matchAll(/<([^<>]*)>/g)]
      // Behind a group's name: `shops: a@example.com`.
      const shown = entry.slice(entry.indexOf(':') + 1)
      const address = (angles.length > 0 ? (angles.length === 1 ? angles[0]![1]! : '') : shown).trim()
      return ADDRESS.test(address) ? [address.toLowerCase()] : []
    })
