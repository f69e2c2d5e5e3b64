// Tests: tests/integration/projections/replay.test.ts
/**
 * Applies batches to the live tables, from a position on. A replay may swap in new tables meanwhile, at exactly the checkpoint of the old
 * ones. Then it continues there.
 */
import type { Batch } from '../../domain/ports.ts'
import type { StorePosition } from '../../workflows/support/store-position.ts'
import { Overtaken, openApplier, type Applier, type ApplierOptions } from './applier.ts'
import { readCheckpoint } from './checkpoint.ts'
import { versionOf } from './sql.ts'

/** Its methods throw {Overtaken} if another process has moved the checkpoint, and as `Applier.apply`. */
export const openLiveApplier = (options: Omit<ApplierOptions, 'schema' | 'anchor'>, from: StorePosition | null) => {
  const { store, tables, definition } = options
  const { schema, projector } = definition
  const applierFrom = (anchor: StorePosition | null): Applier => openApplier({ ...options, schema, anchor })
  let applier = applierFrom(from)

  /** @throws the failure, unless a replay has swapped in new tables */
  const afterSwap = async (failure: unknown): Promise<void> => {
    if (!(failure instanceof Overtaken)) throw failure
    const stored = await readCheckpoint(tables, schema, projector)
    const isOurs = stored?.version === versionOf(definition) && stored.anchor?.event_id === applier.anchor()?.event_id
    if (!isOurs) throw failure
    applier = applierFrom(stored.anchor)
  }

  /** Applies the remaining events of a batch: it may have been applied in halves. */
  const rest = ({ events, checkpoint }: Batch): Promise<void> => {
    const anchor = applier.anchor()
    const left = anchor ? events.filter((event) => store.isAfter(event.checkpoint, anchor.checkpoint)) : events
    return applier.apply(left, checkpoint)
  }

  const apply = (batch: Batch): Promise<void> =>
    applier.apply(batch.events, batch.checkpoint).catch((error) => afterSwap(error).then(() => rest(batch)))

  return { apply, isLeft: () => applier.isLeft(), part: () => applier.part().catch(afterSwap) }
}
