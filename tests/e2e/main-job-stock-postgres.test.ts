import { openSetUp } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { mainJob } from './main-job.ts'

describe("with Debian's Postgres", () => {
  needsStockPostgres()

  // `main-job-roles.test.ts` runs on one with the settings of its package.
  mainJob("Debian's Postgres with hostile defaults", { servers: () => openSetUp('hostile') })
})
