// Tests: tests/attack/account-deletion-cost.test.ts
/** Deletions of accounts that were interrupted, and the commands that finish them. */
import { accountStream } from '../../domain/account/events.ts'
import type { EventStore } from '../../domain/ports.ts'

export interface DeletionNotes {
  /** Deletions that have begun. They may have ended too, if their process was killed just then. */
  all(): Promise<{ user_id: number; begun_at: string }[]>
  end(userId: number): Promise<void>
}

export interface UnfinishedDeletion {
  user_id: number
  begun_at: string
  command: string
}

type Reading = Pick<EventStore, 'read'>

/** Anyone may register an address, such as `` a`id`@b.vn ``, so it must be one word of the shell and nothing more. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * The command that finishes the deletion of an account whose end is stored.
 * @returns null if its own stream, which is erased after all others, has no earlier event
 */
export const commandToFinish = async (store: Reading, userId: number): Promise<string | null> => {
  const [[first] = []] = await store.read([{ stream: accountStream(userId), limit: 1 }])
  return first?.type === 'AccountRegistered' ? `baoco account delete ${shellWord(first.data.email)} --yes` : null
}

/** One that runs at this moment is listed too. @throws {StoreUnavailable} */
export const unfinishedDeletions = async (store: Reading, notes: DeletionNotes): Promise<UnfinishedDeletion[]> => {
  const unfinished: UnfinishedDeletion[] = []
  for (const { user_id, begun_at } of await notes.all()) {
    const [[newest] = []] = await store.read([{ stream: accountStream(user_id), backwards: true, limit: 1 }])
    if (newest?.type !== 'AccountDeleted') continue
    const command = await commandToFinish(store, user_id)
    if (command === null) await notes.end(user_id)
    else unfinished.push({ user_id, begun_at, command })
  }
  return unfinished
}
