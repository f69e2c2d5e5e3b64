/** The payments on the screen at the counter. Processes take their ids in blocks, so a later payment may have a lower id. */

export interface Payment {
  id: number
  amount: string
  currency: string
  order_id: string | null
  /** ISO 8601. */
  at: string
}

const SHOWN = 10

const newestFirst = (a: Payment, b: Payment): number => Date.parse(b.at) - Date.parse(a.at) || b.id - a.id

/** @returns the newest first, each once */
export const mergedPayments = (before: readonly Payment[], more: readonly Payment[]): Payment[] =>
  [...new Map([...before, ...more].map((each) => [each.id, each])).values()].sort(newestFirst).slice(0, SHOWN)

/**
 * Where a payment was deleted, an older one takes its place in the list. That one is not new.
 * @param before  what was shown
 * @returns the newest of those that have arrived since then
 */
export const newestArrived = (before: readonly Payment[], more: readonly Payment[]): Payment | undefined => {
  const oldest = before.length < SHOWN ? undefined : before.at(-1)
  return more
    .filter((each) => !before.some(({ id }) => id === each.id) && (!oldest || newestFirst(each, oldest) < 0))
    .sort(newestFirst)[0]
}
