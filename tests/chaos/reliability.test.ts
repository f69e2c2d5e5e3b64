/** Every cell of docs/reliability.md, in a short form. */
import { expect } from 'chai'
import { needsKafka } from '../support/kafka/needs-kafka.ts'
import type { Verdict } from '../oracle/oracle.ts'
import { processCells, runProcessCells, SHORT, type Result } from '../oracle/process-cells.ts'
import { receiverCells, runReceiverCells, type ReceiverResult } from '../oracle/receiver-cells.ts'

const expectNothingWrong = ({ lost, altered, out_of_order, accepted }: Verdict): void => {
  expect({ lost, altered, out_of_order }).to.deep.equal({ lost: 0, altered: 0, out_of_order: 0 })
  expect(accepted).to.be.above(0)
}

describe('nothing is lost or altered, and attempts are repeated only where a claim stood open', function () {
  this.timeout(900_000)

  describe('whatever happens to processes and servers', () => {
    needsKafka()
    let results: Result[]
    before(async () => {
      results = await runProcessCells(SHORT)
    })
    for (const [number, { name }] of processCells.entries()) it(name, () => expectNothingWrong(results[number]!))

    it('as many attempts at most arrive twice as claims stood open', () => {
      const sum = (of: 'duplicated' | 'claims_open') => results.reduce((total, result) => total + result[of], 0)
      expect(sum('duplicated')).to.be.at.most(sum('claims_open'))
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
        expect(results[number]!.duplicated).to.equal(0)
      })
  })
})
