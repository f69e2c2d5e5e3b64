// Tests: tests/unit/projections/read-models.test.ts
/** A transaction that cannot be read ends with its account by `StreamErased`, because nothing can be decided about it. */
import type { KnownEvent } from '../../domain/catalogue.ts'

const TRANSACTION = /^transaction-(\d+)$/

/** @returns the id of the transaction whose stream the event closes; none if it is another stream */
export const erasedTransaction = ({ stream }: Pick<KnownEvent<'StreamErased'>, 'stream'>): number[] => {
  const id = TRANSACTION.exec(stream)?.[1]
  return id === undefined ? [] : [Number(id)]
}
