// Tests: tests/attack/account-deletion-cost.test.ts
/**
 * Finds what is left of deleted accounts: streams with events of the account that are not closed, or not erased. A complete
 * deletion leaves nothing to look at, except events that the store has hidden and not removed yet. So the store is read
 * a second time only if events of a deleted account are seen, and memory holds only the accounts, not their streams.
 *
 * An audit that does not begin with the first event does not see what was left before. So it also looks at the streams that were closed
 * since. A deletion that was interrupted shows there: the account's own stream is erased last.
 */
import { isEmailStream } from '../../domain/account/email-claim.ts'
import { accountStream } from '../../domain/account/events.ts'
import { isClosing } from '../../domain/erasure.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { commandToFinish } from '../accounts/unfinished-deletions.ts'
import { pages } from '../support/store-pages.ts'
import { slicesOf } from '../support/slices.ts'

/** The last events of streams that end by themselves. They contain no personal data. */
const LAST: ReadonlySet<string> = new Set(['NotificationReread', 'NotificationGivenUp', 'EmailReleased'])
const ends = (type: string): boolean => isClosing(type) || LAST.has(type)

/** @param after  where the audit begins; null: with the first event */
export const openLeftovers = (after: Checkpoint | null) => {
  /** Where the first events of each account are: the position before their page. */
  const firstSeen = new Map<number, Checkpoint | null>()
  const deleted = new Set<number>()

  /** @param before  the position before the page of the event */
  const take = (event: StoredEvent, before: Checkpoint | null): void => {
    const { stream, type, metadata } = event
    const { user_id } = metadata
    if (user_id === null) return
    if (type === 'AccountDeleted') deleted.add(user_id)
    if (isToLookAt(type) && !firstSeen.has(user_id) && !isEmailStream(stream)) firstSeen.set(user_id, before)
  }

  /** Call it after all events. @throws {StoreUnavailable} */
  const report = async (store: EventStore, found: (fault: string) => void): Promise<void> => {
    await findDeleted(store)
    const users = new Set([...deleted].filter((user) => firstSeen.has(user)))
    if (users.size === 0) return
    const positions = [...users].map((user) => firstSeen.get(user) ?? null)
    const from = positions.reduce((a, b) => earlier(store, a, b))
    const looked = new Set<string>()
    for await (const page of pages(store, from)) {
      const open = new Map<string, number>()
      for (const { stream, type, metadata } of page) {
        const user = metadata.user_id
        if (user === null || !users.has(user) || !isToLookAt(type) || looked.has(stream)) continue
        looked.add(stream)
        open.set(stream, user)
      }
      await look(store, open, found)
    }
  }

  const isToLookAt = (type: string): boolean => after !== null || !ends(type)

  /** Accounts that were deleted before the audit begins, and have events since. */
  const findDeleted = async (store: EventStore): Promise<void> => {
    if (after === null) return
    const users = [...firstSeen.keys()].filter((user) => !deleted.has(user))
    const newest = users.map((user) => ({ stream: accountStream(user), backwards: true, limit: 1 }))
    for await (const [, [event]] of slicesOf(store, newest))
      if (event?.type === 'AccountDeleted') deleted.add(event.data.user_id)
  }

  return { take, report }
}

const earlier = (store: EventStore, a: Checkpoint | null, b: Checkpoint | null): Checkpoint | null =>
  a === null || b === null ? null : store.isAfter(a, b) ? b : a

/** @param streams  with the deleted account of each */
const look = async (
  store: EventStore,
  streams: ReadonlyMap<string, number>,
  found: (fault: string) => void,
): Promise<void> => {
  const newestTwo = [...streams.keys()].map((stream) => ({ stream, backwards: true, limit: 2 }))
  for await (const [stream, [newest, older]] of slicesOf(store, newestTwo)) {
    const user = streams.get(stream)!
    // An address that is free again may have another owner.
    if (!newest || (isEmailStream(stream) && newest.metadata.user_id !== user)) continue
    if (!ends(newest.type)) found(`${stream}: not closed, although its account ${user} was deleted`)
    else if (older) {
      // The account's own stream is erased last, so the deletion did not finish.
      const command = stream === accountStream(user) ? await commandToFinish(store, user) : null
      const remedy = command === null ? '' : `: run ${command} again`
      found(`${stream}: not erased, although its account ${user} was deleted${remedy}`)
    }
  }
}
