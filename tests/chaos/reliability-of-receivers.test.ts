/** The table "Receivers" of docs/reliability.md. */
import { expectNothingWrong } from './oracle/expect-nothing-wrong.ts'
import { receiverCells, runReceiverCells, type ReceiverResult } from './oracle/receiver-cells.ts'

describe('nothing is lost or altered by a fault of an endpoint', function () {
  this.timeout(1_200_000)
  let results: ReceiverResult[]
  before(async () => {
    results = await runReceiverCells()
  })
  for (const [number, { name }] of receiverCells.entries())
    it(name, () => {
      expectNothingWrong(results[number]!)
    })
})
