// Tests: tests/unit/domain/dedup/account-digits.test.ts
/** Whether two account numbers, as banks print them, can be the same number: `4240xxxx4584` and `424012344584` can. */

interface Visible {
  /** Digits before the first mask and after the last one. Both are the whole number if nothing is masked or left out. */
  head: string
  tail: string
  masked: boolean
}

const MASK = /[x*.•…#]/i

/** The fewest digits that identify an account: one account in 10,000 has the same ones by chance. Banks that mask show four or more. */
export const TELLING_DIGITS = 4

/** Accounts have more digits. These are the end of its number, whose dots (`....7213`) may not be part of what was read. */
const isEnd = (bare: string): boolean => bare.length <= TELLING_DIGITS

const visible = (printed: string): Visible => {
  const bare = printed.replace(/[\s-]/g, '')
  const first = bare.search(MASK)
  if (first < 0) return isEnd(bare) ? { head: '', tail: bare, masked: true } : { head: bare, tail: bare, masked: false }
  let last = bare.length - 1
  while (!MASK.test(bare[last]!)) last--
  return { head: bare.slice(0, first), tail: bare.slice(last + 1), masked: true }
}

const beginsAlike = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a)
const endsAlike = (a: string, b: string): boolean => a.endsWith(b) || b.endsWith(a)

/** How many digits a printed number shows. Without a mask, that is its length. */
export const visibleDigits = (printed: string): number => {
  const { head, tail, masked } = visible(printed)
  return (masked ? head + tail : head).replace(/\D/g, '').length
}

/** How many digits both printed numbers show, counted from the two ends. 0 if they contradict each other. */
export const sharedDigits = (a: string, b: string): number => {
  if (digitsContradict(a, b)) return 0
  const [one, other] = [visible(a), visible(b)]
  if (!one.masked || !other.masked) return Math.min(visibleDigits(a), visibleDigits(b))
  const heads = Math.min(one.head.length, other.head.length)
  const tails = Math.min(one.tail.length, other.tail.length)
  return (one.head.slice(0, heads) + one.tail.slice(one.tail.length - tails)).replace(/\D/g, '').length
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Whether the digits that both end with differ. It takes no number apart: a caller may compare one with 500 others. */
const endsDiffer = (a: string, b: string): boolean => {
  for (let i = a.length - 1, j = b.length - 1; i >= 0 && j >= 0; i--, j--) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(j)]
    if (!isDigit(one) || !isDigit(other)) return false
    if (one !== other) return true
  }
  return false
}

/** A printed number that shows more than its end. */
const HAS_BEGINNING = /^(?:\d{5}|\d*[x*.•…#])/i

/** Whether the digits that both begin with differ. */
const beginsDiffer = (a: string, b: string): boolean => {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (!isDigit(one) || !isDigit(other)) return false
    if (one !== other) return HAS_BEGINNING.test(a) && HAS_BEGINNING.test(b)
  }
  return false
}

/**
 * The length of a mask is not trusted, because banks print masks of fixed length.
 * @returns true if the visible digits contradict each other
 */
export const digitsContradict = (a: string, b: string): boolean => {
  if (a === b) return false
  if (endsDiffer(a, b) || beginsDiffer(a, b)) return true
  const [one, other] = [visible(a), visible(b)]
  if (!one.masked && !other.masked) return one.head !== other.head
  if (!one.masked || !other.masked) {
    const [whole, part] = one.masked ? [other.head, one] : [one.head, other]
    const fits = whole.startsWith(part.head) && whole.endsWith(part.tail)
    return !fits || whole.length < part.head.length + part.tail.length
  }
  return !beginsAlike(one.head, other.head) || !endsAlike(one.tail, other.tail)
}
