/**
 * A store without a transaction over several streams, made from one that has it: it appends the streams of a unit one after another.
 * Before each of them a test may intervene: throw to simulate a crash, or wait to simulate a freeze.
 */
import type { EventStore, StreamAppend, UnitResult } from '../../domain/ports.ts'

/** @param part  the part about to be appended · @param done  the number of streams that this call has appended */
export type StepIn = (part: StreamAppend, done: number) => void | Promise<void>

export const stepwise = (store: EventStore, stepIn: StepIn = () => {}): EventStore => ({
  ...store,
  comparesUnwritten: false,
  append: async (units) => {
    const results: UnitResult[] = []
    const failed = new Map<string, UnitResult>()
    let done = 0
    for (const unit of units) {
      let result: UnitResult = { ok: true, checkpoint: '0' }
      for (const part of unit) {
        await stepIn(part, done)
        // A part that depends on a failed one was decided on events that do not exist, even if its revision would fit.
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
