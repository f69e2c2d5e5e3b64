/**
 * Order ids in what a payer wrote. With the user's prefixes a **strong hit** is a prefix, its characters perhaps apart, before a digit;
 * a **weak hit** is a prefix of three or more at the start of a token before letters. Strong before weak, then the longest
 * prefix, then leftmost. Without a hit the first token of letters and digits that is no bank's reference is an order id that no
 * connected system knows.
 */
import { normalise, shadowOf } from '../text.ts'
import { findReferences } from './references.ts'

export interface OrderId {
  /** Upper-case. */
  order_id: string
  /** The user's prefix that it hit, upper-case; null where it was found without one. */
  prefix: string | null
}

const RUN_AT_MOST = 30
const WEAK_FROM = 3
const BETWEEN = '[ \\n_-]{0,3}'
const RUN = /[A-Za-z0-9]*/y
const BEFORE_TOKEN = /[\p{L}\p{N}]$/u

/** A memo word or a bank's reference glued behind the digits of an id. */
const GLUED =
  /(?<=\d)(?:chuyen|thanhtoan|trace|ft\d{6}|gd(?:$|[0-9a-z]{4})|(?:ck|tt)(?:$|(?:chuyen|tien|don|hang|hoadon|mua|cho|toi|den)))/i

/** Banks' references made of letters and digits at random: a prefix inside one is an accident. They stay as long as they are. */
const RANDOM_REFERENCES =
  /(?<![0-9a-z])(?:0200\d{6}[0-9a-z]{14,34}|\d{4}ibt\d[0-9a-z]{8,14})(?![0-9a-z])|ctlnhid[io]\d{10,20}/g

/** A token that no payer means as an order: a bank's reference, or an account or phone number behind its label. */
const BANKS_OWN = /^(?:ft|mbvcb|trace|ctlnhid[io]|ibbiz|ck(?=\d{8})|gd|tk|stk|sdt)\d/i
const TOKEN = /(?<![\p{L}\p{N}])[A-Za-z]{2,10}\d{3,20}(?![\p{L}\p{N}])/gu

const CUT_HERE = /^(?:\.{3}|…|~)/

/** The memo, and its shadow without the references at random, of the same length. */
interface Memo {
  text: string
  shadow: string
}

const memoOf = (content: string): Memo => {
  const text = normalise(content)
  return { text, shadow: shadowOf(text).replace(RANDOM_REFERENCES, (found) => '.'.repeat(found.length)) }
}

/** What follows a prefix: up to 30 letters and digits, glued words cut off; null where it is empty or ends in a cut of the text. */
const runAt = ({ text }: Memo, at: number): string | null => {
  RUN.lastIndex = at
  const whole = RUN.exec(text)?.[0] ?? ''
  const glued = whole.search(GLUED)
  const run = (glued < 0 ? whole : whole.slice(0, glued)).slice(0, RUN_AT_MOST)
  const reachesCut = run.length === whole.length && CUT_HERE.test(text.slice(at + run.length, at + run.length + 3))
  return run === '' || reachesCut ? null : run
}

interface Prefix {
  name: string
  strong: RegExp
}

const prefixes = new Map<string, Prefix>()
const PREFIXES_KEPT = 10_000

/** Expressions are made once per prefix; the memory is bounded as users come and go. */
const prefixNamed = (given: string): Prefix => {
  const name = given.toUpperCase()
  const kept = prefixes.get(name)
  if (kept) return kept
  if (prefixes.size >= PREFIXES_KEPT) prefixes.clear()
  const characters = [...name.toLowerCase()].map((character) => character.replace(/[^a-z0-9]/, '\\$&'))
  const prefix = { name, strong: new RegExp(`${characters.join(BETWEEN)}${BETWEEN}(?=\\d)`, 'g') }
  prefixes.set(name, prefix)
  return prefix
}

/** A hit and where it stands. */
interface Hit extends OrderId {
  at: number
}

const hitOf = (name: string, run: string, at: number): Hit => ({
  order_id: `${name}${run}`.toUpperCase(),
  prefix: name,
  at,
})

const strongHit = (memo: Memo, { name, strong }: Prefix): Hit | null => {
  for (const found of memo.shadow.matchAll(strong)) {
    const run = runAt(memo, found.index + found[0].length)
    if (run) return hitOf(name, run, found.index)
  }
  return null
}

const weakHit = (memo: Memo, { name }: Prefix): Hit | null => {
  if (name.length < WEAK_FROM) return null
  const sought = name.toLowerCase()
  for (let at = memo.shadow.indexOf(sought); at >= 0; at = memo.shadow.indexOf(sought, at + 1)) {
    if (BEFORE_TOKEN.test(memo.text.slice(Math.max(0, at - 2), at))) continue
    const run = runAt(memo, at + sought.length)
    if (run) return hitOf(name, run, at)
  }
  return null
}

/** The hit of the longest prefix; among equally long ones the leftmost. */
const bestHit = (
  memo: Memo,
  given: readonly Prefix[],
  hit: (memo: Memo, prefix: Prefix) => Hit | null,
): OrderId | null => {
  let best: Hit | null = null
  for (const prefix of given) {
    const found = hit(memo, prefix)
    const longer = prefix.name.length - (best?.prefix?.length ?? 0)
    if (found && (!best || longer > 0 || (longer === 0 && found.at < best.at))) best = found
  }
  return best && { order_id: best.order_id, prefix: best.prefix }
}

const firstHit = (memo: Memo, given: readonly string[]): OrderId | null => {
  const named = given.map(prefixNamed)
  return bestHit(memo, named, strongHit) ?? bestHit(memo, named, weakHit)
}

const withoutPrefix = (memo: Memo): OrderId | null => {
  const references = findReferences(memo.text, null).all
  for (const token of memo.text.matchAll(TOKEN)) {
    const [found] = token
    const end = token.index + found.length
    const order = found.toUpperCase()
    if (BANKS_OWN.test(found) || references.some(({ value }) => value.includes(order))) continue
    if (!CUT_HERE.test(memo.text.slice(end, end + 3))) return { order_id: order, prefix: null }
  }
  return null
}

/** The memo before the cut it ends in. Looked for from the end: a search from the start takes the square of a row of dots. */
const withoutCut = ({ text, shadow }: Memo): Memo | null => {
  let end = text.endsWith(' ') ? text.length - 1 : text.length
  const last = end
  while (text[end - 1] === '.') end--
  if (end === last && /[…~]/.test(text[end - 1] ?? '')) end--
  else if (last - end < 3) return null
  if (text[end - 1] === ' ') end--
  return { text: text.slice(0, end), shadow: shadow.slice(0, end) }
}

/** Whether the memo's end took a part of an id away: then nothing else stands in for it. */
const hitWasCut = (memo: Memo, given: readonly string[]): boolean => {
  const rest = withoutCut(memo)
  return rest !== null && firstHit(rest, given) !== null
}

/**
 * The order id in a memo (decisions, "order_id").
 * @param content  what the bank prints as the memo, breaks undone
 * @param userPrefixes  payment prefixes of the user's active systems, in any case
 * @returns null where there is none, or it touches a cut of the text
 */
export const findOrderId = (content: string, userPrefixes: readonly string[]): OrderId | null => {
  const memo = memoOf(content)
  return firstHit(memo, userPrefixes) ?? (hitWasCut(memo, userPrefixes) ? null : withoutPrefix(memo))
}

/**
 * The order id of a notification: in its content; where its layout gives none, in the whole text, and there only with a prefix, as
 * everything else the bank prints would look like one.
 */
export const orderIdOf = (content: string | null, text: string, userPrefixes: readonly string[]): OrderId | null =>
  content === null ? firstHit(memoOf(text), userPrefixes) : findOrderId(content, userPrefixes)
