/**
 * Finds order ids in the payer's text. A **strong hit** is one of the user's prefixes before a digit; the characters of the prefix
 * may be separated. A **weak hit** is a prefix of three or more characters at the start of a token, before letters. Strong hits win
 * over weak ones, then the longest prefix, then the leftmost. Without a hit, the first token of letters and digits that is not a
 * bank's reference is an order id that no connected system owns.
 */
import { normalise, shadowOf } from '../text.ts'
import { withoutBanksWords } from './banks-words.ts'
import { NOTIFICATION_AT_MOST } from './page.ts'
import { findReferences } from './references.ts'

export interface OrderId {
  /** Upper-case. */
  order_id: string
  /** The user's prefix that was matched, upper-case. Null if the id was found without one. */
  prefix: string | null
}

const RUN_AT_MOST = 30
const WEAK_FROM = 3
const BETWEEN = '[ \\n_-]{0,3}'
const RUN = /[A-Za-z0-9]*/y
const BEFORE_TOKEN = /[\p{L}\p{N}]$/u

/** A memo word or a bank's reference attached directly to the digits of an id. */
const GLUED =
  /(?<=\d)(?:chuyen|thanhtoan|trace|ft\d{6}|gd(?:$|[0-9a-z]{4})|(?:ck|tt)(?:$|(?:chuyen|tien|don|hang|hoadon|mua|cho|toi|den)))/i

/** Tokens that are never an order id: a bank's or ZaloPay's reference, or an account or phone number, masked or after its label. */
const BANKS_OWN = /^(?:xx+|ft|mbvcb|trace|ctlnhid[io]|ibbiz|ck(?=\d{8})|zp(?=2\d[0-3]\d{9}$)|gd|tk|stk|sdt)\d/i
const TOKEN = /(?<![\p{L}\p{N}])[A-Za-z]{2,10}\d{3,20}(?![\p{L}\p{N}])/gu

const CUT_HERE = /^(?:\.{3}|…|~)/

/** The memo, and its shadow of the same length without the words of banks. */
interface Memo {
  text: string
  shadow: string
}

/**
 * Decorations of a payer, which an SMS does not show: the marks of `1️⃣0️⃣4️⃣2️⃣` and `D̶H̶1̶0̶4̶2̶`. Letters of Vietnamese have none of these after
 * `normalise`.
 */
const DECORATIONS = /\p{M}/gu
const DASHES = /[\u2010-\u2015]/g

/** A longer memo is no bank's, and each prefix of the user is searched for in all of it. It counts as cut there. */
const searched = (content: string): string =>
  content.length <= NOTIFICATION_AT_MOST ? content : `${content.slice(0, NOTIFICATION_AT_MOST)}…`

const memoOf = (content: string): Memo => {
  const whole = normalise(searched(content))
  const text = /[^\0-\x7f]/.test(whole) ? whole.replace(DECORATIONS, '').replace(DASHES, '-') : whole
  return { text, shadow: withoutBanksWords(shadowOf(text)) }
}

/** Digits of other scripts, and letters that look like Latin ones. The id before them would be that of another order: `DH10` of `DH10٤٢`. */
const LOOKS_LIKE_MORE =
  /^[\p{N}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Coptic}\p{Script=Cherokee}\p{Script=Lisu}]/u

/**
 * The id after a prefix: up to 30 letters and digits, without attached words. Null if it is empty, ends at a cut of the text, or seems to go on.
 */
const runAt = ({ text }: Memo, at: number): string | null => {
  RUN.lastIndex = at
  const whole = RUN.exec(text)?.[0] ?? ''
  const glued = whole.search(GLUED)
  const run = (glued < 0 ? whole : whole.slice(0, glued)).slice(0, RUN_AT_MOST)
  if (run === '') return null
  const behind = text.slice(at + run.length, at + run.length + 3)
  const goesOn = run.length === whole.length && (CUT_HERE.test(behind) || LOOKS_LIKE_MORE.test(behind))
  return goesOn ? null : run
}

interface Prefix {
  name: string
  strong: RegExp
}

const prefixes = new Map<string, Prefix>()
const PREFIXES_KEPT = 10_000

/** Compiles each prefix once. The cache is bounded, because users come and go. */
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

/** A hit and its position. */
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

/** The hit of the longest prefix. Among prefixes of equal length, the leftmost hit. */
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
    const isMasked = memo.shadow[token.index] === '.'
    if (isMasked || BANKS_OWN.test(found) || references.some(({ value }) => value.includes(order))) continue
    if (!CUT_HERE.test(memo.text.slice(end, end + 3))) return { order_id: order, prefix: null }
  }
  return null
}

/** The memo without the cut mark at its end. It scans from the end: a search from the start takes quadratic time on a row of dots. */
const withoutCut = ({ text, shadow }: Memo): Memo | null => {
  let end = text.endsWith(' ') ? text.length - 1 : text.length
  const last = end
  while (text[end - 1] === '.') end--
  if (end === last && /[…~]/.test(text[end - 1] ?? '')) end--
  else if (last - end < 3) return null
  if (text[end - 1] === ' ') end--
  return { text: text.slice(0, end), shadow: shadow.slice(0, end) }
}

/** Longer than a prefix and an id, with the characters that may separate them. */
const ID_AT_MOST = 200

/** Whether a cut at the end of the memo removed part of an id. Then no other token may replace it. The memo has no whole id with a prefix. */
const hitWasCut = (memo: Memo, given: readonly string[]): boolean => {
  const rest = withoutCut(memo)
  if (rest === null) return false
  const end = { text: rest.text.slice(-ID_AT_MOST), shadow: rest.shadow.slice(-ID_AT_MOST) }
  return firstHit(end, given) !== null
}

/**
 * The order id in a memo (decisions, "order_id").
 * @param content  the memo as the bank prints it, with line breaks undone
 * @param userPrefixes  payment prefixes of the user's active systems, in any case
 * @returns null if there is none, or if it touches a cut of the text
 */
export const findOrderId = (content: string, userPrefixes: readonly string[]): OrderId | null => {
  const memo = memoOf(content)
  return firstHit(memo, userPrefixes) ?? (hitWasCut(memo, userPrefixes) ? null : withoutPrefix(memo))
}

/**
 * The order id of a notification. It is searched in the content. If the layout has no content field, the whole text is searched,
 * but only for prefixes, because everything else that the bank prints could look like an order id.
 */
export const orderIdOf = (content: string | null, text: string, userPrefixes: readonly string[]): OrderId | null =>
  content === null ? firstHit(memoOf(text), userPrefixes) : findOrderId(content, userPrefixes)

/**
 * Whether the order id of a text could be another one if the text went on: it ends the text, or one of the user's prefixes that was not found has
 * precedence.
 */
export const couldChange = ({ order_id, prefix }: OrderId, text: string, userPrefixes: readonly string[]): boolean => {
  if (prefix === null) return true
  const isStrong = /^\d/.test(order_id.slice(prefix.length))
  const letters = shadowOf(normalise(text))
    .replace(/[^a-z0-9]/gi, '')
    .toUpperCase()
  // `DH7CK` may go on in `DH7CK8`.
  const endsText = letters.endsWith(order_id) || letters.replace(/(?:CK|TT|GD)$/, '').endsWith(order_id)
  return endsText || !isStrong || userPrefixes.some(({ length }) => length > prefix.length)
}
