import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { startRoles } from '../harness/role-processes.ts'
import { openSetUp } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { mainJob } from './main-job.ts'

describe("with Kafka and Debian's Postgres", () => {
  needsKafka()
  needsStockPostgres()

  mainJob("each role a process of its own, on EventStoreDB, Kafka and Debian's Postgres", {
    servers: () => openSetUp('all'),
    start: startRoles,
  })
})
