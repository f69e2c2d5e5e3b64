import { processCells, runProcessCells, SHORT } from '/tmp/w/park/tests/chaos/oracle/process-cells.ts'
import { expectNothingWrong } from '/tmp/w/park/tests/chaos/oracle/expect-nothing-wrong.ts'
describe('one cell', function () {
  this.timeout(600_000)
  it('damaged', async () => {
    const cells = processCells.filter(({ name }) => name.startsWith('damaged'))
    const [result] = await runProcessCells(SHORT, { cells, tell: (what) => console.log(what) })
    console.log(result)
    expectNothingWrong(result!)
  })
})
