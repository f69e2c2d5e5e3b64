// Tests: tests/integration/http/stream.test.ts
/** The listeners of the feed, by the user whose updates they receive. */
import type { PositionedUpdate, UserUpdate } from './update-memory.ts'

export interface Listener {
  receive(updates: readonly PositionedUpdate[]): void
  /** Called when no more events follow. `bye`: the process stops. `credentials`: the listener must authenticate again. */
  end(reason: 'bye' | 'credentials'): void
}

export const openListeners = () => {
  const byUser = new Map<number, Set<Listener>>()

  /** @returns a function that removes the listener */
  const add = (userId: number, listener: Listener): (() => void) => {
    const mine = byUser.get(userId) ?? new Set()
    byUser.set(userId, mine.add(listener))
    return () => {
      mine.delete(listener)
      if (mine.size === 0 && byUser.get(userId) === mine) byUser.delete(userId)
    }
  }

  const send = (all: readonly UserUpdate[]): void => {
    const updatesOf = new Map<number, UserUpdate[]>()
    for (const each of all) {
      const updates = updatesOf.get(each.user_id)
      if (updates) updates.push(each)
      else if (byUser.has(each.user_id)) updatesOf.set(each.user_id, [each])
    }
    for (const [userId, updates] of updatesOf) for (const listener of byUser.get(userId)!) listener.receive(updates)
  }

  /** Ends the listeners of a user, who must authenticate again. */
  const endOf = (userId: number): void => {
    const ended = byUser.get(userId) ?? []
    byUser.delete(userId)
    for (const listener of ended) listener.end('credentials')
  }

  /** Ends all listeners, because the process stops. */
  const endAll = (): void => {
    for (const each of byUser.values()) for (const listener of each) listener.end('bye')
    byUser.clear()
  }

  return { add, send, endOf, endAll }
}
