import { openSetUp } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { mainJob } from './main-job.ts'

describe("with Debian's Postgres", () => {
  needsStockPostgres()

  mainJob("Debian's Postgres with the settings of its package", { servers: () => openSetUp('stock') })

  mainJob("Debian's Postgres with hostile defaults", { servers: () => openSetUp('hostile') })
})
