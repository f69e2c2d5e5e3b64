// Tests: tests/attack/account-deletion-cost.test.ts
/** Deletions of accounts that were interrupted, and the commands that finish them. */
import { accountStream } from '../../domain/account/events.ts'
import type { EventStore } from '../../domain/ports.ts'

export interface BegunDeletion {
  user_id: number
  begun_at: string
  /** A process is doing it now. */
  is_running: boolean
}

export interface DeletionNotes {
  /** Deletions that have begun. They may have ended too, if their process was killed just then. */
  all(): Promise<BegunDeletion[]>
  end(userId: number): Promise<void>
}

export interface UnfinishedDeletion extends BegunDeletion {
  /** Finishes it; null while it runs. */
  command: string | null
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

/** @returns undefined if the account has not ended, null if everything of it is erased */
const commandFor = async (store: Reading, userId: number): Promise<string | null | undefined> => {
  const [[newest] = []] = await store.read([{ stream: accountStream(userId), backwards: true, limit: 1 }])
  return newest?.type === 'AccountDeleted' ? commandToFinish(store, userId) : undefined
}

/** Deletions that run, and those that were interrupted. @throws {StoreUnavailable} */
export const unfinishedDeletions = async (
  store: Reading,
  notes: Pick<DeletionNotes, 'all'>,
): Promise<UnfinishedDeletion[]> => {
  const unfinished: UnfinishedDeletion[] = []
  for (const begun of await notes.all()) {
    const command = begun.is_running ? null : await commandFor(store, begun.user_id)
    if (begun.is_running || command) unfinished.push({ ...begun, command: command ?? null })
  }
  return unfinished
}

/** Removes notes of deletions whose process was killed after it had erased everything. @throws {StoreUnavailable} */
export const forgetEndedDeletions = async (store: Reading, notes: DeletionNotes): Promise<void> => {
  for (const { user_id, is_running } of await notes.all())
    if (!is_running && (await commandFor(store, user_id)) === null) await notes.end(user_id)
}
