// Tests: tests/chaos/roles.test.ts
/**
 * `baoco project`: runs the work that follows from events: the read models, the reactors that create further events, and the scheduled
 * work. For each of them one process is active and the others stand by. Every process also sends mails.
 */
import { endLease } from '../../adapters/database/lease.ts'
import { openReactorCheckpoint } from '../../adapters/postgres/ops/reactor-checkpoint.ts'
import { openPutOffReactions } from '../../adapters/postgres/ops/put-off-reactions.ts'
import { openDeletions } from '../../adapters/postgres/ops/deletions.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { planAccountOf } from '../../domain/plan-order/plan-order.ts'
import { projectors } from '../../projections/all.ts'
import { parkedStreams } from '../../projections/parked/queries.ts'
import { retryReadable } from '../../workflows/parked/resolve.ts'
import type { Definition } from '../../projections/engine/definition.ts'
import { projectionLag } from '../../projections/engine/lag.ts'
import { openProjector } from '../../projections/engine/projector.ts'
import type { ProjectorState } from '../../projections/engine/status.ts'
import { untilNotNewer, upgrade } from '../../projections/engine/upgrade.ts'
import { mailLinks } from '../../workflows/accounts/mail-links.ts'
import { forgetEndedDeletions, unfinishedDeletions } from '../../workflows/accounts/unfinished-deletions.ts'
import { countFailingMailboxes } from '../../projections/mail-account/queries.ts'
import { runScheduled } from '../../workflows/scheduled/scheduled-work.ts'
import { allReactors } from '../../workflows/reactors/all.ts'
import { runReactors } from '../../workflows/reactors/run.ts'
import { retry } from '../../workflows/support/retry.ts'
import { together } from '../../workflows/support/together.ts'
import { watchQueue } from '../../adapters/telemetry/delivery-metrics.ts'
import { inTime } from '../../adapters/telemetry/in-time.ts'
import type { Installation } from '../process/installation.ts'
import { askStore } from '../process/open-event-store.ts'
import { queueNumbers } from '../process/queue-numbers.ts'
import { databaseAnswers, diskHasSpace, readModelsAnswer, storeAnswers } from '../process/health-checks.ts'
import { roleCommand, type Role } from '../process/role.ts'
import { sendMails } from '../process/send-mails.ts'
import { scheduledJobs } from '../process/scheduled-jobs.ts'

type Follower = (signal: AbortSignal) => Promise<void>

interface Projecting {
  follow: Follower
  /** The read models are of this version, or of a newer one. */
  upgraded: Promise<void>
}

const TO_FINISH_A_DELETION = 'baoco status prints the command that finishes it'

/** Why `projector.lag` says nothing: another process projects, or a server is away, so that nobody knows what waits. */
const LAG_UNKNOWN: readonly ProjectorState[] = ['idle', 'overtaken', 'outdated', 'away']

const projecting = async (installation: Installation, definition: Definition): Promise<Projecting> => {
  const { store, clock, database, disk, log, pressure, metrics, readModels, onlyOne, notifyOfParked, onFailure } =
    installation
  const tables = openReadModelTables(database)
  const projectors = [definition.projector]
  const parked = async () => (await parkedStreams(database, definition)).map((row) => ({ ...row, projectors }))
  const options = { store, tables, definition, log }
  const projector = await openProjector({
    ...options,
    pressed: () => pressure.pressed(),
    onFailure: disk.databaseFailed,
    onParked: notifyOfParked,
    onStart: async (position) => void (await retryReadable({ store, clock }, await parked(), position)),
  })
  const name = definition.projector
  readModels.projectedBy(name, projector)
  const lag = async (): Promise<number | null> => {
    if (LAG_UNKNOWN.includes(projector.health().state))
      return inTime(projectionLag(database, store, definition, clock.now()))
    // A subscription that lost its store is still live.
    return inTime(askStore(store).then(() => projector.lag()))
  }
  metrics.watchProjection(name, {
    lag,
    parkedStreams: async () => (await parkedStreams(database, definition)).length,
    isActive: () => projector.isRunning(),
  })
  const lease = `projector ${name}`
  const inTurn: Follower = async (signal) => {
    const newer = new AbortController()
    const whileItsTurn: Follower = async (held) => {
      await projector.run(held)
      // A process of the newer version must get the lease.
      if (projector.health().state === 'outdated') newer.abort()
    }
    await onlyOne(lease).hold(whileItsTurn, AbortSignal.any([signal, newer.signal]))
    await untilNotNewer(options, signal)
  }
  let tell = () => {}
  const upgraded = new Promise<void>((resolve) => (tell = resolve))
  const follow: Follower = async (signal) => {
    // The process that projected the former read models then finds within a second that its turn is over.
    if (await upgrade(options, signal)) await endLease(database, lease).catch(onFailure)
    tell()
    while (!signal.aborted) await inTurn(signal)
    await tables.close()
  }
  return { follow, upgraded }
}

const reacting = (installation: Installation): Follower => {
  const { settings, secrets, store, database, log, onlyOne } = installation
  const links = mailLinks(secrets.jwtSecret, settings.baseUrl)
  const checkpoint = openReactorCheckpoint(database)
  const putOffs = openPutOffReactions(database)
  const { isRefusal } = openReadModelTables(database)
  return (signal) =>
    onlyOne('reactions').hold((held) => {
      // Created anew each time, because another process may have changed their cached state while it was active.
      const reactors = allReactors({
        ...installation,
        ...settings,
        mailer: installation.outbox,
        links,
        plans: planAccountOf(settings),
        maxAgeMs: settings.reparseMaxAge * 1_000,
      })
      return runReactors({ store, reactors, checkpoint, putOffs, log, isRefusal }, held)
    }, signal)
}

const scheduled = (installation: Installation): Follower => {
  const jobs = scheduledJobs(installation)
  const { log, clock, onlyOne } = installation
  // The lease keeps this name, because a process of the previous release holds it under that name.
  return (signal) => onlyOne('planned work').hold((held) => runScheduled(jobs, log, clock, held), signal)
}

/** One line if the process of a deletion of an account was killed. The command contains the address, so it is not in the log. */
const reportDeletions = async ({ store, database, log }: Installation): Promise<void> => {
  const notes = openDeletions(database)
  await forgetEndedDeletions(store, notes)
  for (const { user_id, begun_at, is_running } of await unfinishedDeletions(store, notes))
    if (!is_running) log.error({ user_id, begun_at, what_to_do: TO_FINISH_A_DELETION }, 'account.deletion_unfinished')
}

/** Waits until the read models contain everything stored before this start, or logs why they never will. */
const caughtUp = async ({ store, readModels, onFailure }: Installation, stopping: AbortSignal): Promise<void> => {
  const end = await retry(() => store.end(), { signal: stopping, onFailure })
  while (end && !stopping.aborted && !readModels.isStopped()) if (await readModels.passed(end, 1_000)) return
}

export const projectRole: Role = {
  name: 'project',
  description: 'run projections, reactors and scheduled work; one process is active, others stand by',

  open: async (installation) => {
    const projections = await Promise.all(
      projectors({ ...installation.settings, isReadHere: installation.isFreshDatabase }).map((definition) =>
        projecting(installation, definition),
      ),
    )
    const followers = [
      ...projections.map(({ follow }) => follow),
      reacting(installation),
      scheduled(installation),
      // Each process takes different mails from the outbox.
      (signal: AbortSignal) => sendMails(installation, signal),
    ]
    const { database, metrics, onFailure } = installation
    void reportDeletions(installation).catch(onFailure)
    metrics.watchMailboxes(() => countFailingMailboxes(database))
    watchQueue(metrics.registry, queueNumbers(installation))
    return {
      follows: true,
      needs: [
        storeAnswers(installation),
        databaseAnswers(installation),
        diskHasSpace(installation),
        readModelsAnswer(installation, { needed: true }),
      ],
      run: (signal) => together(signal, followers),
      ready: async (stopping) => {
        await Promise.all(projections.map(({ upgraded }) => upgraded))
        await caughtUp(installation, stopping)
      },
    }
  },
}

export const project = roleCommand(projectRole)
