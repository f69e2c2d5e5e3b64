/**
 * The appends of one call to one stream, in order. Several units of a call often write to the same stream, each based on the
 * one before. There is no transaction over several streams, so each would have to wait for the previous answer: an append
 * that is sent after a failed one could match by its revision alone. So parts that are due together are sent as one append,
 * which the server accepts as a whole or not at all. If the server refuses it, the parts are sent one by one and each gets
 * its own result.
 */
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

export interface AppendQueueParts {
  append(stream: string, expected: Expected, events: JSONEventData[]): Promise<Written>
  read(slice: { stream: string; from?: number; backwards?: boolean; limit: number }): Promise<RecordedEvent[]>
  /** The most bytes of one append. */
  mostBytes: number
}

interface Waiting {
  part: Part
  state: 'waiting' | 'due' | 'abandoned'
  resolve: (result: UnitResult) => void
  reject: (error: unknown) => void
}

export class AppendQueue {
  readonly #stream: string
  readonly #parts: AppendQueueParts
  #queue: Waiting[] = []
  #running = false
  #hasFailed = false
  /** The stream's revision, if an answer has contained it. */
  #revision: number | undefined

  constructor(stream: string, parts: AppendQueueParts) {
    this.#stream = stream
    this.#parts = parts
  }

  /** Reserves the next position in the order for a part. */
  enter(part: Part): Turn {
    const waiting: Waiting = { part, state: 'waiting', resolve: () => {}, reject: () => {} }
    this.#queue.push(waiting)
    return {
      append: () =>
        new Promise((resolve, reject) => {
          Object.assign(waiting, { state: 'due', resolve, reject })
          // All parts that start at the same moment become due before the first one is sent.
          queueMicrotask(() => void this.#run())
        }),
      abandon: () => {
        waiting.state = 'abandoned'
        void this.#run()
      },
    }
  }

  async #run(): Promise<void> {
    if (this.#running) return
    this.#running = true
    for (let head = this.#queue[0]; head && head.state !== 'waiting'; head = this.#queue[0]) {
      if (head.state === 'abandoned') {
        this.#hasFailed = true
        this.#queue.shift()
        continue
      }
      const together = this.#takeTogether()
      try {
        await this.#send(together)
      } catch (error) {
        for (const { reject } of together) reject(error)
        this.#hasFailed = true
      }
    }
    this.#running = false
  }

  /** Takes the first parts that are due and follow on from each other. */
  #takeTogether(): Waiting[] {
    const together = [this.#queue.shift()!]
    if (this.#hasFailed) return together
    let { expected, events, bytes, isLast } = together[0]!.part
    for (let next = this.#queue[0]; next?.state === 'due' && !isLast; next = this.#queue[0]) {
      const { part } = next
      if (part.expected !== expected + events.length || bytes + part.bytes > this.#parts.mostBytes) break
      ;({ expected, events, isLast } = part)
      bytes += part.bytes
      together.push(this.#queue.shift()!)
    }
    return together
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    if (together.length > 1) {
      const events = together.flatMap(({ part }) => part.events)
      const written = await this.#parts.append(this.#stream, together[0]!.part.expected, events)
      if (written.ok) {
        this.#revision = together[0]!.part.expected + events.length
        for (const { resolve } of together) resolve(written)
        return
      }
    }
    for (const { part, resolve } of together) resolve(await this.#one(part))
  }

  async #one(part: Part): Promise<UnitResult> {
    if (this.#hasFailed) return this.#afterFailure(part)
    const written = await this.#parts.append(this.#stream, part.expected, part.events)
    if (written.ok) {
      this.#revision = Math.max(this.#revision ?? -1, part.expected + part.events.length)
      return written
    }
    this.#hasFailed = true
    this.#revision = written.revision
    return this.#conflict(written.revision)
  }

  /**
   * A part that builds on a failed part was decided on events that do not exist. It succeeds only if its events are already
   * stored.
   */
  async #afterFailure({ expected, events }: Part): Promise<UnitResult> {
    const found = await this.#parts.read({ stream: this.#stream, from: expected + 1, limit: events.length })
    if (found.length === events.length && found.every(({ id }, n) => id === events[n]!.id))
      return { ok: true, checkpoint: found.at(-1)!.checkpoint }
    if (this.#revision !== undefined) return this.#conflict(this.#revision)
    const [newest] = await this.#parts.read({ stream: this.#stream, backwards: true, limit: 1 })
    return this.#conflict(newest?.revision ?? expected)
  }

  #conflict(revision: number): UnitResult {
    return { ok: false, conflict: { stream: this.#stream, revision } }
  }
}

export interface Turn {
  append(): Promise<UnitResult>
  /** An earlier part of the same unit has failed. */
  abandon(): void
}
