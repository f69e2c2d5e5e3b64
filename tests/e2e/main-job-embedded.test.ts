import { openSetUp } from '../harness/servers.ts'
import { mainJob } from './main-job.ts'

mainJob('embedded', { servers: () => openSetUp('embedded'), isFirstStart: true })
