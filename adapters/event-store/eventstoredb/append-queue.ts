/**
 * The appends of one call to one stream, in order. Several units of a call often write to the same stream, each based on the
 * one before. There is no transaction over several streams, so each would have to wait for the previous answer: an append
 * that is sent after a failed one could match by its revision alone. So parts that are due together are sent as one append,
 * which the server accepts as a whole or not at all. If the server refuses it, the parts are sent one by one and each gets
 * its own result.
 */
import type { UnitResult } from '../../../domain/ports.ts'
import { StreamWriter, type Part, type StreamAccess } from './stream-writer.ts'

export interface AppendQueueParts extends StreamAccess {
  /** The most bytes of one append. */
  mostBytes: number
}

export interface Turn {
  append(): Promise<UnitResult>
  /** An earlier part of the same unit has failed. */
  abandon(): void
}

interface Waiting {
  part: Part
  state: 'waiting' | 'due' | 'abandoned'
  resolve: (result: UnitResult) => void
  reject: (error: unknown) => void
}

export class AppendQueue {
  readonly #writer: StreamWriter
  readonly #mostBytes: number
  readonly #queue: Waiting[] = []
  #isRunning = false

  constructor(stream: string, parts: AppendQueueParts) {
    this.#writer = new StreamWriter(stream, parts)
    this.#mostBytes = parts.mostBytes
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
    if (this.#isRunning) return
    this.#isRunning = true
    const queue = this.#queue
    for (let head = queue[0]; head && head.state !== 'waiting'; head = queue[0]) {
      if (head.state === 'abandoned') {
        this.#writer.hasFailed = true
        queue.shift()
        continue
      }
      const together = this.#takeTogether()
      try {
        await this.#send(together)
      } catch (error) {
        for (const { reject } of together) reject(error)
        this.#writer.hasFailed = true
      }
    }
    this.#isRunning = false
  }

  /** Takes the first parts that are due and follow on from each other. */
  #takeTogether(): Waiting[] {
    const queue = this.#queue
    const together = [queue.shift()!]
    if (this.#writer.hasFailed) return together
    let { expected, events, bytes, isLast } = together[0]!.part
    for (let next = queue[0]; next?.state === 'due' && !isLast; next = queue[0]) {
      const { part } = next
      if (part.expected !== expected + events.length || bytes + part.bytes > this.#mostBytes) break
      ;({ expected, events, isLast } = part)
      bytes += part.bytes
      together.push(queue.shift()!)
    }
    return together
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    if (together.length > 1) {
      const result = await this.#writer.together(together.map(({ part }) => part))
      if (result) {
        for (const { resolve } of together) resolve(result)
        return
      }
    }
    for (const { part, resolve } of together) resolve(await this.#writer.one(part))
  }
}
