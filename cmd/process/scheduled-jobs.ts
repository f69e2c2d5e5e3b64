// Tests: tests/chaos/roles.test.ts
/** All scheduled work of an installation. */
import { openRemovalMemory } from '../../adapters/postgres/ops/last-scavenge.ts'
import { forgetSource } from '../../adapters/postgres/ops/last-seen.ts'
import { sweepUsage } from '../../adapters/postgres/ops/usage.ts'
import { sweepInboxCalls } from '../../adapters/inbox/calls.ts'
import { sweepOutbox } from '../../adapters/mail-out/outbox.ts'
import { sweepRateLimits } from '../../adapters/rate-limits/shared-windows.ts'
import { sweepForgotten } from '../../adapters/postgres/ops/forget-account.ts'
import { sweepSnapshots } from '../../adapters/postgres/ops/snapshots.ts'
import { lastingSubjects } from '../../projections/alert/queries.ts'
import { plansDue } from '../../projections/account/plan-queries.ts'
import { openCreditsCheckpoint } from '../../adapters/postgres/ops/reactor-checkpoint.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { sweepAbandonedCopies } from '../../projections/engine/abandoned-copies.ts'
import { projectors } from '../../projections/all.ts'
import { parkedStreams } from '../../projections/parked/queries.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { openAlerts } from '../../workflows/alerts/alerts.ts'
import { lastingSilences, quietSources } from '../../projections/account/last-seen-queries.ts'
import { sweepNotifications } from '../../adapters/postgres/ops/sweep-notifications.ts'
import { failingMailboxes, lastingMailboxAlerts } from '../../projections/mail-account/queries.ts'
import { lastingEndpointAlerts, openBreakers } from '../../projections/rule/breaker-queries.ts'
import { lastingRefusals, refusedRules } from '../../projections/rule/refusal-queries.ts'
import { onBelievedClock } from '../../workflows/scheduled/believed-clock.ts'
import { openClockMemory } from '../../adapters/postgres/ops/clock-memory.ts'
import { differingClocks } from '../../adapters/postgres/ops/process-clocks.ts'
import { rememberCredits } from '../../workflows/credits/remember-credits.ts'
import { giveUpUnread } from '../../workflows/scheduled/give-up-unread.ts'
import { oldestUnread, unreadOverLimit } from '../../projections/notification/unread-bytes-queries.ts'
import { watchParked } from '../../workflows/scheduled/watch-parked.ts'
import { watchedDisks } from './open-server-disks.ts'
import type { OperatorWatchParts } from '../../workflows/scheduled/operator-watch.ts'
import { watchClocks } from '../../workflows/scheduled/watch-clocks.ts'
import { watchDisk } from '../../workflows/scheduled/watch-disk.ts'
import { watchEndpoints } from '../../workflows/scheduled/watch-endpoints.ts'
import { watchRefusals } from '../../workflows/scheduled/watch-refusals.ts'
import { watchMailboxes } from '../../workflows/scheduled/watch-mailboxes.ts'
import { watchSources } from '../../workflows/scheduled/watch-sources.ts'
import type { ScheduledJob } from '../../workflows/scheduled/scheduled-work.ts'
import { endPlans, warnOfQuotas } from '../../workflows/scheduled/plans.ts'
import { operatorOf } from '../../workflows/operator.ts'
import type { Installation } from './installation.ts'
import { expiry } from './open-event-store.ts'

/** Jobs that remove something for good, so they need a clock that is right. */
const deletingJobs = (
  { settings, store, clock, database }: Installation,
  plans: Parameters<typeof endPlans>[0],
): ScheduledJob[] => [
  ...expiry(settings, { store, memory: openRemovalMemory(database), clock }),
  sweepOutbox(database),
  sweepInboxCalls(database),
  endPlans(plans),
  sweepNotifications(database),
  giveUpUnread({
    store,
    clock,
    overLimit: () => unreadOverLimit(database),
    oldest: (userId, bytes) => oldestUnread(database, userId, bytes),
  }),
]

export const scheduledJobs = (installation: Installation): ScheduledJob[] => {
  const { settings, store, accounts, snapshots, clock, ids, database, disk, serverDisks, log } = installation
  const plans = { accounts: new Accounts(store, accounts), due: plansDue(database), clock }
  const alerts = openAlerts({ store, clock, ids, snapshots })
  // The first account stays the operator's, so it is read once.
  let operator: number | null = null
  const ofOperator: OperatorWatchParts = {
    operator: async () => (operator ??= await operatorOf(store)),
    lasting: (userId, kind) => lastingSubjects(database, userId, kind),
    alerts,
    clock,
  }
  return [
    ...onBelievedClock({ clock, memory: openClockMemory(database), log }, deletingJobs(installation, plans)),
    rememberCredits({ store, clock, checkpoint: openCreditsCheckpoint(database) }),
    sweepRateLimits(database),
    sweepUsage(database),
    sweepForgotten(database),
    sweepAbandonedCopies(openReadModelTables(database), projectors(settings)),
    sweepSnapshots(database),
    warnOfQuotas(plans),
    watchEndpoints({
      open: () => openBreakers(database),
      lasting: () => lastingEndpointAlerts(database),
      alerts,
    }),
    watchRefusals({
      refused: () => refusedRules(database),
      lasting: () => lastingRefusals(database),
      alerts,
    }),
    watchMailboxes({
      failing: (afterSeconds) => failingMailboxes(database, afterSeconds),
      lasting: () => lastingMailboxAlerts(database),
      alerts,
      log,
    }),
    watchParked({
      parked: () => parkedStreams(database, ...projectors(settings)),
      ...ofOperator,
    }),
    watchClocks({ differing: () => differingClocks(database), ...ofOperator }),
    watchDisk({ ...watchedDisks(settings, disk, serverDisks), ...ofOperator }),
    watchSources({
      quiet: (now) => quietSources(database, now),
      forget: (source) => forgetSource(database, source),
      lasting: () => lastingSilences(database),
      accounts: plans.accounts,
      alerts,
      clock,
    }),
  ]
}
