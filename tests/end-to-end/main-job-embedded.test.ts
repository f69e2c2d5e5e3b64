import { openSetUp } from '../support/servers.ts'
import { mainJob } from './main-job.ts'

mainJob('embedded', () => openSetUp('embedded'))
