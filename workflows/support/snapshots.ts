// Tests: tests/integration/adapters/snapshots.test.ts
/**
 * Snapshots of folds, so that a long stream need not be read from its start. A snapshot is a copy that may be lost at any time. It counts only
 * if its last event is still in the stream, with the same id, and if the same version of the fold wrote it (`fold-version.ts`).
 */
import type { EventStore } from '../../domain/ports.ts'

export interface Snapshot {
  /** The last event in it. */
  revision: number
  event_id: string
  /** Data, maps, sets and arrays; no functions. It does not change any more. */
  state: unknown
}

/** A snapshot as its store keeps it under one name. */
export interface KeptSnapshot extends Snapshot {
  /** The process that wrote it. */
  writer: string
  /** Ids of the parts of a large state, in their order. */
  parts: readonly string[]
}

export interface NewSnapshot extends KeptSnapshot {
  /** Those of its parts that the store does not have yet. Each is asked for when the one before is written. */
  added: Iterable<readonly [id: string, bytes: Uint8Array]>
}

export interface Snapshots {
  /** @returns null if there is none of this version, or if it cannot be read now */
  load(userId: number, name: string): Promise<KeptSnapshot | null>
  /** Parts in their order, a few at a time. @throws if one is missing or cannot be read now */
  parts(userId: number, name: string, ids: readonly string[]): AsyncIterable<Uint8Array>
  /**
   * Replaces the snapshot of that name, and removes the parts that are not in the new one.
   * @returns whether it is saved. It is not if a part is missing, or if a process of another version has just saved its own.
   */
  save(userId: number, name: string, snapshot: NewSnapshot): Promise<boolean>
  forget(userId: number, name: string): Promise<void>
}

/** Streams with fewer events are read as fast. */
export const WORTH_A_SNAPSHOT = 1_000

/** Whether the stream still has the last event of a snapshot. @throws {StoreUnavailable} */
export const isOf = async (
  store: EventStore,
  stream: string,
  { revision, event_id }: Pick<Snapshot, 'revision' | 'event_id'>,
): Promise<boolean> => {
  const [[event] = []] = await store.read([{ stream, from: revision, limit: 1 }])
  return event?.revision === revision && event.id === event_id
}
