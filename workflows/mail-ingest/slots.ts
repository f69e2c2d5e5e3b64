/**
 * Limits concurrency, in the order of requests. With many mailboxes, none may hold up the others, and together they
 * must not fill the memory. The mailboxes of one owner get only a share, because all their servers may be slow on
 * purpose.
 * @param share  most slots that one owner may hold at a time
 */
export const openSlots = (slots: number, share = slots) => {
  /** The number of slots that each owner holds. */
  const held = new Map<number, number>()
  const waiting: { owner: number; start: () => void }[] = []
  let free = slots

  const use = async <Result>(owner: number, work: () => Promise<Result>): Promise<Result> => {
    if (hasRoom(owner)) take(owner)
    else await new Promise<void>((start) => waiting.push({ owner, start }))
    try {
      return await work()
    } finally {
      giveBack(owner)
    }
  }

  const hasRoom = (owner: number): boolean => free > 0 && (held.get(owner) ?? 0) < share

  const take = (owner: number): void => {
    free--
    held.set(owner, (held.get(owner) ?? 0) + 1)
  }

  const giveBack = (owner: number): void => {
    free++
    const left = held.get(owner)! - 1
    if (left > 0) held.set(owner, left)
    else held.delete(owner)
    const at = waiting.findIndex((each) => hasRoom(each.owner))
    if (at < 0) return
    const [next] = waiting.splice(at, 1)
    take(next!.owner)
    next!.start()
  }

  return { use }
}

export type Slots = ReturnType<typeof openSlots>
