// Tests: tests/integration/delivery/delivery.test.ts
/** Entries of the log that wait to be claimed, by user. Users take turns. */
import type { LogEntry } from '../../domain/ports.ts'

/** Entries of one user in a claim, while other users wait. */
const MOST_OF_USER = 64

/** Calls of one user in a claim. The last transaction may have more: one fires all rules of its user, and these may be very many. */
const MOST_CALLS_OF_USER = 2_048

/** @returns how many of the first entries may be taken: at most `most`, with about that many calls */
const fitting = (entries: readonly LogEntry[], most: number): number => {
  let calls = 0
  let count = 0
  while (count < most && count < entries.length && calls < MOST_CALLS_OF_USER)
    calls += entries[count++]!.captured?.data.rules.length ?? 1
  return count
}

/** @param most  entries of all users together */
export const openNotedEntries = (most: number) => {
  /** The order of the map is the order of the turns. */
  const byUser = new Map<number, LogEntry[]>()
  let size = 0

  /** @returns the entries for which there is no room: the newest of the user with the most */
  const add = (entries: readonly LogEntry[]): LogEntry[] => {
    const left: LogEntry[] = []
    for (const entry of entries) {
      of(entry).push(entry)
      size++
      if (size > most) left.push(...dropHalf())
    }
    return left
  }

  /** Puts an entry back before the user's newer ones. */
  const putBack = (entry: LogEntry): void => {
    of(entry).unshift(entry)
    size++
  }

  /**
   * @param most  entries in the claim
   * @param roomFor  how many entries of a user may be taken
   */
  const take = (most: number, roomFor: (userId: number) => number): LogEntry[] => {
    const taken: LogEntry[] = []
    const share = byUser.size > 1 ? Math.min(MOST_OF_USER, most) : most
    for (const user of [...byUser.keys()]) {
      const count = Math.min(share, most - taken.length, roomFor(user))
      if (count === 0) continue
      const entries = byUser.get(user)!
      taken.push(...entries.splice(0, fitting(entries, count)))
      byUser.delete(user)
      if (entries.length > 0) byUser.set(user, entries)
    }
    size -= taken.length
    return taken
  }

  const drop = (chosen: (entry: LogEntry) => boolean): void => {
    for (const [user, entries] of byUser) {
      const kept = entries.filter((entry) => !chosen(entry))
      size -= entries.length - kept.length
      if (kept.length > 0) byUser.set(user, kept)
      else byUser.delete(user)
    }
  }

  const takeAll = (): LogEntry[] => {
    const all = [...byUser.values()].flat()
    byUser.clear()
    size = 0
    return all
  }

  /** The last one of the first `count` entries of each user. */
  const ahead = (count: number): LogEntry[] =>
    [...byUser.values()].map((entries) => entries[Math.min(count, entries.length) - 1]!)

  const of = ({ user_id }: LogEntry): LogEntry[] => {
    let entries = byUser.get(user_id)
    if (!entries) byUser.set(user_id, (entries = []))
    return entries
  }

  const dropHalf = (): LogEntry[] => {
    const [most] = [...byUser.values()].sort((a, b) => b.length - a.length)
    const left = most!.splice(Math.floor(most!.length / 2))
    size -= left.length
    return left
  }

  return { size: () => size, users: () => byUser.size, add, putBack, take, drop, takeAll, ahead }
}

export type NotedEntries = ReturnType<typeof openNotedEntries>
