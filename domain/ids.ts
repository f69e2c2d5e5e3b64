// Tests: tests/integration/adapters/ids.test.ts
/** The single counter that all ids come from: stream `ids`. Only its newest event is ever read. */
import { z } from 'zod'
import { id } from './fields.ts'

export const idEvents = {
  /** The ids `from` to `to`, both inclusive, belong to the process that wrote this event. */
  IdsReserved: z.object({ from: id, to: id }),
}

export type IdsReserved = z.infer<typeof idEvents.IdsReserved>

export const ID_STREAM = 'ids'
