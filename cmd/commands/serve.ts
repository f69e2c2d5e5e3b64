// Tests: tests/e2e/main-job-embedded.test.ts
/**
 * `baoco serve`: runs all roles in one process. The README shows the data flow: notifications are captured into the event store, and the
 * read models, the log and the deliveries follow from its events.
 */
import type { Command } from 'commander'
import { apiRole } from './api.ts'
import { collectRole } from './collect.ts'
import { deliverRole } from './deliver.ts'
import { projectRole } from './project.ts'
import { relayRole } from './relay.ts'
import { runRoles } from '../process/role.ts'

/** The first role decides whether the process is ready: it can receive as long as the event store answers. */
const EVERY_ROLE = [apiRole, projectRole, relayRole, deliverRole, collectRole]

export const serve = (program: Command): void => {
  program
    .command('serve')
    .description('run all roles in one process')
    .action(() => runRoles(EVERY_ROLE, { ownsDatabase: true }))
}
