// Tests: tests/unit/adapters/event-store/eventstoredb/append-queue.test.ts
/** Writes the parts of a call that go to one stream, and knows what that has shown about the stream. */
import type { JSONEventData } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Expected, UnitResult } from '../../../domain/ports.ts'
import type { Written } from './stream-append.ts'

export interface Part {
  stream: string
  expected: Expected
  events: JSONEventData[]
  bytes: number
  /** The last part of its unit. Its result is the unit's result, so it needs its own position. */
  isLast: boolean
}

export interface StreamAccess {
  append(stream: string, expected: Expected, events: JSONEventData[]): Promise<Written>
  read(slice: { stream: string; from?: number; backwards?: boolean; limit: number }): Promise<RecordedEvent[]>
}

export class StreamWriter {
  readonly #stream: string
  readonly #access: StreamAccess
  /** Whether a part has failed, so that later parts may build on events that do not exist. */
  hasFailed = false
  /** The stream's revision, if an answer has contained it. */
  #newestRevision: number | undefined

  constructor(stream: string, access: StreamAccess) {
    this.#stream = stream
    this.#access = access
  }

  /** Writes parts that follow on from each other as one append. @returns null if the server refused it */
  async together(parts: readonly Part[]): Promise<UnitResult | null> {
    const { expected } = parts[0]!
    const events = parts.flatMap((part) => part.events)
    const written = await this.#access.append(this.#stream, expected, events)
    if (!written.ok) return null
    this.#newestRevision = expected + events.length
    return written
  }

  async one(part: Part): Promise<UnitResult> {
    if (this.hasFailed) return this.#afterFailure(part)
    const written = await this.#access.append(this.#stream, part.expected, part.events)
    if (written.ok) {
      this.#newestRevision = Math.max(this.#newestRevision ?? -1, part.expected + part.events.length)
      return written
    }
    this.hasFailed = true
    this.#newestRevision = written.revision
    return this.#conflict(written.revision)
  }

  /**
   * A part that builds on a failed part was decided on events that do not exist. It succeeds only if its events are already
   * stored.
   */
  async #afterFailure({ expected, events }: Part): Promise<UnitResult> {
    const { read } = this.#access
    const found = await read({ stream: this.#stream, from: expected + 1, limit: events.length })
    if (found.length === events.length && found.every(({ id }, n) => id === events[n]!.id))
      return { ok: true, checkpoint: found.at(-1)!.checkpoint }
    if (this.#newestRevision !== undefined) return this.#conflict(this.#newestRevision)
    const [newest] = await read({ stream: this.#stream, backwards: true, limit: 1 })
    return this.#conflict(newest?.revision ?? expected)
  }

  #conflict(revision: number): UnitResult {
    return { ok: false, conflict: { stream: this.#stream, revision } }
  }
}
