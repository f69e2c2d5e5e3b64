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

export const openAppendQueue = (stream: string, { mostBytes, append, read }: AppendQueueParts) => {
  const queue: Waiting[] = []
  let running = false
  let hasFailed = false
  /** The stream's revision, if an answer has contained it. */
  let newestRevision: number | undefined

  /** Reserves the next position in the order for a part. */
  const enter = (part: Part): Turn => {
    const waiting: Waiting = { part, state: 'waiting', resolve: () => {}, reject: () => {} }
    queue.push(waiting)
    return {
      append: () =>
        new Promise((resolve, reject) => {
          Object.assign(waiting, { state: 'due', resolve, reject })
          // All parts that start at the same moment become due before the first one is sent.
          queueMicrotask(() => void run())
        }),
      abandon: () => {
        waiting.state = 'abandoned'
        void run()
      },
    }
  }

  const run = async (): Promise<void> => {
    if (running) return
    running = true
    for (let head = queue[0]; head && head.state !== 'waiting'; head = queue[0]) {
      if (head.state === 'abandoned') {
        hasFailed = true
        queue.shift()
        continue
      }
      const together = takeTogether()
      try {
        await send(together)
      } catch (error) {
        for (const { reject } of together) reject(error)
        hasFailed = true
      }
    }
    running = false
  }

  /** Takes the first parts that are due and follow on from each other. */
  const takeTogether = (): Waiting[] => {
    const together = [queue.shift()!]
    if (hasFailed) return together
    let { expected, events, bytes, isLast } = together[0]!.part
    for (let next = queue[0]; next?.state === 'due' && !isLast; next = queue[0]) {
      const { part } = next
      if (part.expected !== expected + events.length || bytes + part.bytes > mostBytes) break
      ;({ expected, events, isLast } = part)
      bytes += part.bytes
      together.push(queue.shift()!)
    }
    return together
  }

  const send = async (together: readonly Waiting[]): Promise<void> => {
    if (together.length > 1) {
      const events = together.flatMap(({ part }) => part.events)
      const written = await append(stream, together[0]!.part.expected, events)
      if (written.ok) {
        newestRevision = together[0]!.part.expected + events.length
        for (const { resolve } of together) resolve(written)
        return
      }
    }
    for (const { part, resolve } of together) resolve(await one(part))
  }

  const one = async (part: Part): Promise<UnitResult> => {
    if (hasFailed) return afterFailure(part)
    const written = await append(stream, part.expected, part.events)
    if (written.ok) {
      newestRevision = Math.max(newestRevision ?? -1, part.expected + part.events.length)
      return written
    }
    hasFailed = true
    newestRevision = written.revision
    return conflict(written.revision)
  }

  /**
   * A part that builds on a failed part was decided on events that do not exist. It succeeds only if its events are already
   * stored.
   */
  const afterFailure = async ({ expected, events }: Part): Promise<UnitResult> => {
    const found = await read({ stream, from: expected + 1, limit: events.length })
    if (found.length === events.length && found.every(({ id }, n) => id === events[n]!.id))
      return { ok: true, checkpoint: found.at(-1)!.checkpoint }
    if (newestRevision !== undefined) return conflict(newestRevision)
    const [newest] = await read({ stream, backwards: true, limit: 1 })
    return conflict(newest?.revision ?? expected)
  }

  const conflict = (revision: number): UnitResult => ({ ok: false, conflict: { stream, revision } })

  return { enter }
}

export type AppendQueue = ReturnType<typeof openAppendQueue>

export interface Turn {
  append(): Promise<UnitResult>
  /** An earlier part of the same unit has failed. */
  abandon(): void
}
