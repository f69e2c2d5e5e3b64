import { openSetUp } from '../harness/servers.ts'
import { mainJob } from './main-job.ts'

mainJob('EventStoreDB and embedded log', { servers: () => openSetUp('eventstoredb') })
