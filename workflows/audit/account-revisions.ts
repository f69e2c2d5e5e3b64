// Tests: tests/integration/audit-since-last.test.ts
/** Checks that no event of an account is missing, and that attempts name only revisions that are there. Memory holds one revision per account. */
import { accountStream } from '../../domain/account/events.ts'
import { isClosing } from '../../domain/erasure.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { slicesOf } from '../support/slices.ts'

type Found = (fault: string) => void

export class AccountRevisions {
  readonly #newest = new Map<number, number>()
  /** The first revision that was seen, of accounts whose earlier events were not. */
  readonly #continued = new Map<number, number>()
  /** The newest revision that an attempt names. */
  readonly #named = new Map<number, number>()

  /** Takes every event of the `account-` streams. */
  take({ stream, type, revision }: StoredEvent, found: Found): void {
    const user = Number(stream.slice('account-'.length))
    const before = this.#newest.get(user)
    this.#newest.set(user, revision)
    if (isClosing(type)) return
    if (before !== undefined) {
      if (revision !== before + 1) found(`${stream}@${revision}: follows revision ${before}`)
    } else if (revision > 0) this.#continued.set(user, revision)
    else if (type !== 'AccountRegistered') found(`${stream}@${revision}: begins with ${type}`)
  }

  /** Takes the events of each transaction. */
  takeAttempts(events: readonly StoredEvent[]): void {
    for (const { type, data, metadata } of events) {
      if (type !== 'WebhookAttempted' || metadata.user_id === null) continue
      const { user_id } = metadata
      this.#named.set(user_id, Math.max(this.#named.get(user_id) ?? -1, data.account_revision))
    }
  }

  /** Call it after all events. @throws {StoreUnavailable} */
  async report(store: Pick<EventStore, 'read'>, found: Found): Promise<void> {
    const earlier = [...this.#continued].map(([user, revision]) => ({ user, revision }))
    const before = earlier.map(({ user, revision }) => ({ stream: accountStream(user), from: revision - 1, limit: 1 }))
    let next = 0
    for await (const [stream, [event]] of slicesOf(store, before)) {
      const { revision } = earlier[next++]!
      // A deleted account keeps only its last event.
      const isMissing = event && isReadable(event) && event.revision >= revision && !isClosing(event.type)
      if (isMissing) found(`${stream}@${revision}: its revision ${revision - 1} is missing`)
    }
    const named = [...this.#named.keys()].map((user) => ({ stream: accountStream(user), backwards: true, limit: 1 }))
    const revisions = this.#named.values()
    for await (const [stream, [newest]] of slicesOf(store, named)) {
      const revision = revisions.next().value!
      if ((newest?.revision ?? -1) < revision)
        found(`${stream}: attempts name its revision ${revision}, which is not there`)
    }
  }
}
