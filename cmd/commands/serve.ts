/**
 * `baoco serve`: everything in one process. This is the picture in the README: what comes in is captured into the event store,
 * and the read models, the log and the deliveries follow from its events.
 */
import type { Command } from 'commander'
import { apiRole } from './api.ts'
import { collectRole } from './collect.ts'
import { deliverRole } from './deliver.ts'
import { projectRole } from './project.ts'
import { relayRole } from './relay.ts'
import { runRoles } from '../process/role.ts'

/** The first one's needs are the process's: it receives while the event store answers. */
const EVERY_ROLE = [apiRole, projectRole, relayRole, deliverRole, collectRole]

export const serve = (program: Command): void => {
  program
    .command('serve')
    .description('run all roles in one process')
    .action(() => runRoles(EVERY_ROLE, { ownsDatabase: true }))
}
