// Tests: tests/integration/status-command.test.ts
/** `baoco status`: prints what runs on the installation, and its state. */
import { statfs } from 'node:fs/promises'
import type { Command } from 'commander'
import { fairShares } from '../../adapters/database/fair-shares.ts'
import { heldLeases, isOfMailbox } from '../../adapters/database/lease.ts'
import { presentProcesses } from '../../adapters/database/presence.ts'
import { differingSettings } from '../../adapters/database/shared-settings.ts'
import { installationStatus } from '../../adapters/postgres/ops/installation-status.ts'
import { openDeletions } from '../../adapters/postgres/ops/deletions.ts'
import { lastAudit } from '../../adapters/postgres/ops/last-audit.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { aheadOfDatabase, differingClocks } from '../../adapters/postgres/ops/process-clocks.ts'
import { serverStatus } from '../../adapters/postgres/ops/server-status.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import type { RememberingStore } from '../../adapters/event-store/history.ts'
import { CLOCK_DIFFERS_MS } from '../../domain/clock.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { projectors } from '../../projections/all.ts'
import { unseenDeliveries } from '../../projections/delivery/unseen-queries.ts'
import type { Definition } from '../../projections/engine/definition.ts'
import { projectionLag } from '../../projections/engine/lag.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { unfinishedDeletions } from '../../workflows/accounts/unfinished-deletions.ts'
import { SHARED_NAMES } from '../settings/shared-settings.ts'
import { serverDisks } from '../process/open-server-disks.ts'
import type { Surroundings } from '../command-parts/with-database.ts'
import { withStore } from '../command-parts/with-store.ts'

/** The processes may have taken nearly all connections of the server. */
const ONE_CONNECTION = { most: 1, mostOfOne: 1 }
/** Milliseconds. On a large installation a statement takes longer than others may wait for a connection of the pool. */
const TURN_WITHIN_MS = HOUR_MS

const MIB = 1_048_576
const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`

/** @param aheadMs  of a clock, compared with the database's */
const differenceOf = (aheadMs: number): string => {
  if (Math.abs(aheadMs) < CLOCK_DIFFERS_MS) return 'agrees with the database'
  return `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database`
}

type Around = Surroundings & { store: RememberingStore }

/** Asks the servers. Statements to Postgres take turns. */
const look = async ({ database: pool, store, settings, log }: Around) => {
  const late = () => new Error('Postgres did not answer within an hour')
  const database = { ...pool, ...fairShares(pool, ONE_CONNECTION, TURN_WITHIN_MS, late).of(null) }
  // Both measure time, so they run alone.
  const ahead = await aheadOfDatabase(database, systemClock)
  const disks = await serverDisks({ settings, database, store, log }).measured()
  // Queries work also if no process has ever projected.
  for (const definition of projectors(settings)) await createSchema(openReadModelTables(database), definition)
  const unseen = () => unseenDeliveries(database, store, systemClock.now())
  const lagOf = async (definition: Definition): Promise<[projector: string, milliseconds: number]> => [
    definition.projector,
    await projectionLag(database, store, definition, systemClock.now()),
  ]
  const [processes, leases, status, server, audit, end, disk, lags, clocks, deletions, differing] = await Promise.all([
    presentProcesses(database),
    heldLeases(database),
    installationStatus(database, unseen),
    serverStatus(database),
    lastAudit(database),
    store.end(),
    settings.databaseUrl === undefined ? statfs(settings.dataDir) : null,
    Promise.all(projectors(settings).map(lagOf)).then((some) => new Map(some)),
    differingClocks(database),
    unfinishedDeletions(store, openDeletions(database)),
    differingSettings(database, SHARED_NAMES),
  ])
  const isBehind = (passed: string | null) => end !== null && (passed === null || store.isAfter(end, passed))
  const lagShown = (projector: string, passed: string | null): string =>
    isBehind(passed) ? `behind  lag ${((lags.get(projector) ?? 0) / 1_000).toFixed(1)} s` : 'up to date  lag 0.0 s'
  return { processes, leases, status, server, audit, disk, disks, lagShown, ahead, clocks, deletions, differing }
}

const lines = async (around: Around, version: string): Promise<string[]> => {
  const { processes, leases, status, server, audit, disk, disks, lagShown, ahead, clocks, deletions, differing } =
    await look(around)
  return [
    ...processes.map(
      ({ name, version, since, address }) =>
        `process   ${name}  ${version ?? 'unknown version'}  ${since ? `since ${since}` : 'of another role'}${address ? `  from ${address}` : ''}`,
    ),
    ...differing.map(({ setting, processes }) => `settings  ${setting} differs: ${processes.join(' | ')}`),
    ...leases
      .filter((lease) => !isOfMailbox(lease))
      .map(({ name, process, since }) => `lease     ${name}  ${process ?? 'unknown process'}  since ${since}`),
    `mailboxes ${leases.filter(isOfMailbox).length} read`,
    ...status.projectors.map(
      ({ projector, passed, last_event_at }) =>
        `projector ${projector}  ${lagShown(projector, passed)}  last event ${last_event_at ?? 'none'}`,
    ),
    ...status.lanes.map(({ lane, open, due }) => `lane      ${lane}  ${open} open  ${due} due`),
    `clock     ${differenceOf(ahead)}`,
    ...clocks.map(({ process, ahead_ms }) => `clock     ${process}  ${differenceOf(ahead_ms)}`),
    `overdue   ${status.overdue}`,
    `breakers  ${status.breakers.length} open`,
    `parked    ${status.parked} streams`,
    ...deletions.map(({ begun_at, command }) =>
      command === null
        ? `deletion  runs since ${begun_at}`
        : `deletion  begun ${begun_at}, interrupted: run ${command}`,
    ),
    audit
      ? `audit     ${audit.ended_at}  ${audit.events} events  ${audit.faults} faults  everything ${audit.whole_at}`
      : 'audit     never: run baoco audit',
    `versions  Baoco ${version}  Postgres ${server.postgres}  tables ${server.tables}  Node ${process.versions.node}`,
    `disk      ${inMib(server.database_bytes)}  ${server.schemas.map(({ name, bytes }) => `${name} ${inMib(bytes)}`).join('  ')}`,
    ...(disk ? [`free      ${inMib(disk.bavail * disk.bsize)} in ${around.settings.dataDir}`] : []),
    ...disks.map(
      ({ of, space: { free, size }, place }) =>
        `free      ${inMib(free)} of ${inMib(size)}  ${of}${place === null ? '' : ` ${place}`}`,
    ),
  ]
}

export const status = (program: Command): void => {
  program
    .command('status')
    .description('print processes, leases, lags, deliveries, versions and disk use, one per line')
    .action(() =>
      withStore(
        async (around) => (await lines(around, program.version() ?? 'unknown')).forEach((line) => console.log(line)),
        { connections: ONE_CONNECTION.most },
      ),
    )
}
