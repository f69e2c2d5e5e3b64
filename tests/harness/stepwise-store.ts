/**
 * A store without a transaction over streams, made of one that has it: the streams of a unit are appended one after the
 * other. Before each of them a test may step in: throw for a crash there, wait for a freeze there.
 */
import type { EventStore, StreamAppend, UnitResult } from '../../domain/ports.ts'

/** @param part  what is about to be appended · @param done  how many streams of this call have been */
export type StepIn = (part: StreamAppend, done: number) => void | Promise<void>

export const stepwise = (store: EventStore, stepIn: StepIn = () => {}): EventStore => ({
  ...store,
  append: async (units) => {
    const results: UnitResult[] = []
    const failed = new Map<string, UnitResult>()
    let done = 0
    for (const unit of units) {
      let result: UnitResult = { ok: true, checkpoint: '0' }
      for (const part of unit) {
        await stepIn(part, done)
        // What builds on a part that failed was decided on events that are not there, even where the number would fit.
        result = failed.get(part.stream) ?? (await store.append([[part]]))[0]!
        if (!result.ok) {
          failed.set(part.stream, result)
          break
        }
        done++
      }
      results.push(result)
    }
    return results
  },
})
