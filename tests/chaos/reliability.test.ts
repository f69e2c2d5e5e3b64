/** Every cell of docs/reliability.md, in a short form. */
import { expect } from 'chai'
import { needsDovecot } from '../support/dovecot/install.ts'
import { needsKafka } from '../support/kafka/needs-kafka.ts'
import type { Verdict } from '../oracle/oracle.ts'
import { processCells, runProcessCells, SHORT, type Result } from '../oracle/process-cells.ts'
import { receiverCells, runReceiverCells, type ReceiverResult } from '../oracle/receiver-cells.ts'

const expectNothingWrong = (verdict: Verdict): void => {
  const { lost, altered, out_of_order, accepted, duplicated, explained } = verdict
  const repeatedWithoutClaim = duplicated - explained
  const wrong = { lost, altered, out_of_order, repeatedWithoutClaim }
  expect(wrong).to.deep.equal({ lost: 0, altered: 0, out_of_order: 0, repeatedWithoutClaim: 0 })
  expect(accepted).to.be.above(0)
}

describe('nothing is lost or altered, and attempts are repeated only where a claim stood open', function () {
  this.timeout(1_200_000)

  describe('whatever happens to processes and servers', () => {
    needsKafka()
    needsDovecot()
    let results: Result[]
    before(async () => {
      results = await runProcessCells(SHORT)
    })
    for (const [number, { name, shiftsClocks }] of processCells.entries())
      it(name, () => {
        const result = results[number]!
        // By the clocks they are in order.
        expectNothingWrong({ ...result, ...(shiftsClocks && { out_of_order: 0 }) })
      })
  })

  describe('whatever an endpoint does', () => {
    let results: ReceiverResult[]
    before(async () => {
      results = await runReceiverCells()
    })
    for (const [number, { name }] of receiverCells.entries())
      it(name, () => {
        expectNothingWrong(results[number]!)
      })
  })
})
