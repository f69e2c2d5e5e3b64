/** The contract on Debian's Postgres, in a database whose defaults are hostile. `jit` is on there, as in every Postgres. */
import { HOSTILE_DEFAULTS } from '../../harness/stock-postgres/hostile-defaults.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { startStockPostgres } from '../../harness/stock-postgres/server.ts'
import { eventStoreContract } from './event-store-contract.ts'
import { postgresHarness } from './postgres-harness.ts'

describe("with Debian's Postgres", () => {
  needsStockPostgres()

  eventStoreContract("Debian's Postgres with hostile defaults", async () => {
    const server = await startStockPostgres()
    const { url } = await server.database(HOSTILE_DEFAULTS)
    return postgresHarness(server, url)
  })
})
