/** The one counter that all ids come from: stream `ids`. Only its newest event is ever read. */
import { z } from 'zod'

const id = z.int().positive()

export const idEvents = {
  /** Ids `from` to `to`, both included, belong to the process that wrote this. */
  IdsReserved: z.object({ from: id, to: id }),
}

export type IdsReserved = z.infer<typeof idEvents.IdsReserved>

export const ID_STREAM = 'ids'
