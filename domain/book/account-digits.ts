/** Whether two account numbers, as banks print them, can be the same: `4240xxxx4584` and `424012344584` can. */

interface Visible {
  /** Digits before the first mask and behind the last one; the same where nothing is masked. */
  head: string
  tail: string
  masked: boolean
}

const MASK = /[x*.•…#]/i

const visible = (printed: string): Visible => {
  const bare = printed.replace(/[\s-]/g, '')
  const first = bare.search(MASK)
  if (first < 0) return { head: bare, tail: bare, masked: false }
  let last = bare.length - 1
  while (!MASK.test(bare[last]!)) last--
  return { head: bare.slice(0, first), tail: bare.slice(last + 1), masked: true }
}

const beginsAlike = (a: string, b: string): boolean => a.startsWith(b) || b.startsWith(a)
const endsAlike = (a: string, b: string): boolean => a.endsWith(b) || b.endsWith(a)

/**
 * @returns true where the visible digits contradict each other. How many digits a mask stands for is not trusted: banks
 *          print masks of fixed length.
 */
export const digitsContradict = (a: string, b: string): boolean => {
  if (a === b) return false
  const [one, other] = [visible(a), visible(b)]
  if (!one.masked && !other.masked) return one.head !== other.head
  if (!one.masked || !other.masked) {
    const [whole, part] = one.masked ? [other.head, one] : [one.head, other]
    const fits = whole.startsWith(part.head) && whole.endsWith(part.tail)
    return !fits || whole.length < part.head.length + part.tail.length
  }
  return !beginsAlike(one.head, other.head) || !endsAlike(one.tail, other.tail)
}
