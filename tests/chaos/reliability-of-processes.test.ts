/** The table "Processes and servers" of docs/reliability.md, with each cell in its short form. */
import { needsDovecot } from '../harness/dovecot/install.ts'
import { needsKafka, sharedKafka } from '../harness/kafka/needs-kafka.ts'
import { expectNothingWrong } from './oracle/expect-nothing-wrong.ts'
import { SHORT } from './oracle/form.ts'
import { processCells, runProcessCells, type Result } from './oracle/process-cells.ts'

describe('nothing is lost or altered by a fault of processes or servers', function () {
  this.timeout(1_200_000)
  needsKafka()
  needsDovecot()
  let results: Result[]
  before(async () => {
    results = await runProcessCells(SHORT, { kafka: sharedKafka() })
  })
  for (const [number, { name, shiftsClocks }] of processCells.entries())
    it(name, () => {
      const result = results[number]!
      // According to the clocks they are in order.
      expectNothingWrong({ ...result, ...(shiftsClocks && { out_of_order: 0 }) })
    })
})
