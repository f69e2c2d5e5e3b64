/** The table "One process" of docs/reliability.md. */
import { needsSmallDisk } from '../harness/small-disk.ts'
import { embeddedCells, runEmbeddedCell } from './oracle/embedded-cells.ts'
import { expectNothingWrong } from './oracle/expect-nothing-wrong.ts'

/** The disk is nearly full once, and without a byte once. */
const TIMES = 2
const PER_SECOND = 5

for (const cell of embeddedCells)
  describe(`nothing is lost or altered in one process: ${cell.name}`, function () {
    this.timeout(600_000)
    if (cell.name === 'disk full') needsSmallDisk()
    it('under load', async () => {
      expectNothingWrong(
        await runEmbeddedCell(cell, { times: cell.name === 'disk full' ? TIMES : 1, perSecond: PER_SECOND }),
      )
    })
  })
