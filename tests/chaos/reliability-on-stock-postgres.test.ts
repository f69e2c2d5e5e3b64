/** Faults on a Postgres as a user has it. */
import { needsFaketime } from '../harness/faketime/install.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { expectNothingWrong } from './oracle/expect-nothing-wrong.ts'
import {
  runStockPostgresCells,
  SHORT_STOCK,
  stockPostgresCells,
  type StockResult,
} from './oracle/stock-postgres-cells.ts'

describe("nothing is lost or altered by a fault on Debian's Postgres with hostile defaults", function () {
  this.timeout(600_000)
  needsStockPostgres()
  needsFaketime()
  let results: StockResult[]
  before(async () => {
    results = await runStockPostgresCells(SHORT_STOCK)
  })
  for (const [number, { name }] of stockPostgresCells.entries())
    it(name, () => {
      expectNothingWrong(results[number]!)
    })
})
