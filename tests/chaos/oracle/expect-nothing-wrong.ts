/** The checks that every verdict must pass. */
import { expect } from 'chai'
import type { Verdict } from './oracle.ts'

/** @throws if a call was lost, altered, out of order, or repeated without an open claim; or if nothing was accepted */
export const expectNothingWrong = (verdict: Verdict): void => {
  const { lost, altered, out_of_order, accepted, duplicated, explained } = verdict
  const repeatedWithoutClaim = duplicated - explained
  const wrong = { lost, altered, out_of_order, repeatedWithoutClaim }
  expect(wrong).to.deep.equal({ lost: 0, altered: 0, out_of_order: 0, repeatedWithoutClaim: 0 })
  expect(accepted).to.be.above(0)
}
