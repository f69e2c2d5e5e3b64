import type { Taken } from '../../../domain/arrival/arrival.ts'

/** @throws if it is not a transaction */
export const transactionOf = (taken: Taken | undefined): Extract<Taken, { kind: 'transaction' }> => {
  if (taken?.kind !== 'transaction') throw new Error(`no transaction: ${JSON.stringify(taken)}`)
  return taken
}
