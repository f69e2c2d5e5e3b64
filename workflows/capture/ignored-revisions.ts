// Tests: tests/integration/capture/contention.test.ts
/** Known revisions of users' streams of ignored notifications. */
import { ignoredStream } from '../../domain/arrival/events.ts'
import { NO_STREAM } from '../../domain/ports.ts'
import { BoundedMap } from '../support/bounded-map.ts'

/** Number of users whose stream of ignored notifications is cached. A dropped one costs a conflict. */
const MOST_USERS = 10_000

export class IgnoredRevisions {
  /** By user. */
  readonly #revisions = new BoundedMap<number, number>(MOST_USERS)

  of(userId: number): number {
    return this.#revisions.get(userId) ?? NO_STREAM
  }

  set(userId: number, revision: number): void {
    this.#revisions.set(userId, revision)
  }

  /** @param appends what was written for the user, by stream */
  written(
    userId: number,
    appends: ReadonlyMap<string, { expectedRevision: number; events: readonly unknown[] }>,
  ): void {
    const written = appends.get(ignoredStream(userId))
    if (written) this.set(userId, written.expectedRevision + written.events.length)
  }
}
