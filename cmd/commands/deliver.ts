// Tests: tests/integration/delivery/processes.test.ts
/** `baoco deliver`: calls the shops' webhooks. Any number of processes can run it. */
import { watchDelivery } from '../../adapters/telemetry/delivery-metrics.ts'
import { spanOfAttempt } from '../../adapters/telemetry/spans.ts'
import { openDeliveryQueue } from '../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { openRetriedTransactions } from '../../projections/job/queries.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { openDelivery } from '../../workflows/deliver/deliver.ts'
import { runJobs } from '../../workflows/jobs/bulk-retry.ts'
import { together } from '../../workflows/support/together.ts'
import { databaseAnswers, diskHasSpace, storeAnswers } from '../process/health-checks.ts'
import { openLog } from '../process/open-log.ts'
import { queueNumbers } from '../process/queue-numbers.ts'
import { roleCommand, type Role } from '../process/role.ts'

export const deliverRole: Role = {
  name: 'deliver',
  description: 'deliver webhooks; any number of processes',

  open: (installation) => {
    const { settings, store, database, sender, ids, vault, clock, capture, readModels, log, metrics, topic } =
      installation
    const { onlyOne, onFailure, pressure, spans } = installation
    const deliveryLog = openLog(installation)
    const delivery = openDelivery({
      store,
      log: deliveryLog,
      queue: openDeliveryQueue(database, installation.byKey, { schedule: settings.retrySchedule }),
      sender,
      ids,
      vault,
      readModels,
      // Only this process reads an embedded database.
      mustShow: installation.isFreshDatabase ? (checkpoint) => readModels.mustShow(checkpoint) : undefined,
      schedule: settings.retrySchedule,
      givesWay: () => capture.isBusy(),
      soleWorker: installation.isFreshDatabase,
      onAttempt: (attempt) => {
        metrics.attempted(attempt)
        count(attempt)
        log.info(attempt, 'delivery.attempted')
        spans.add(() => spanOfAttempt(attempt))
      },
      onClaimsOpen: (claims) => log.info(claims, 'delivery.claims_open'),
      onOpened: (endpoint) => log.warn(endpoint, 'endpoint.opened'),
      onError: onFailure,
    })
    pressure.ofDelivering(() => delivery.isBusy())
    // Messages of a topic do not have the data that such a claim needs.
    if (!topic) installation.appending.listener = (captured) => delivery.claimAhead(captured)
    const count = watchDelivery(metrics.registry, {
      use: () => delivery.use(),
      numbers: queueNumbers(installation),
    })
    const jobs = {
      store,
      clock,
      accounts: new Accounts(store, installation.accounts),
      transactions: openRetriedTransactions(database),
    }
    return {
      needs: [
        storeAnswers(installation),
        databaseAnswers(installation),
        { ...diskHasSpace(installation), needed: false },
        // Not needed: the queue makes the first attempts that the log does not.
        { name: 'log', needed: false, check: () => deliveryLog.check() },
      ],
      // Delivery does not wait for the check of the topic, because it skips messages of other installations.
      run: async (signal) => {
        log.info({ worker: delivery.worker }, 'delivery.started')
        await together(signal, [
          (stopping) => delivery.run(stopping),
          (stopping) => onlyOne('bulk retries').hold((held) => runJobs(jobs, onFailure, held), stopping),
          async () => topic?.toRead.isUsable(),
        ])
      },
      ready: async () => topic?.toRead.firstLook(),
    }
  },
}

export const deliver = roleCommand(deliverRole)
