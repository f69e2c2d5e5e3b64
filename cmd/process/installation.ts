// Tests: tests/e2e/main-job-roles.test.ts
/**
 * The resources that all roles of a process share: connections to servers, opened and checked, and objects created once per process. Each
 * role uses these and adds its own.
 */
import { hostname } from 'node:os'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import type { Disk } from '../../adapters/system/disk.ts'
import type { ServerDisks } from '../../adapters/system/server-disks.ts'
import { releaseMemoryAtRest } from '../../adapters/system/memory-at-rest.ts'
import { keepStoreMemory, loadStoreMemory, type StoreMemory } from '../../adapters/system/store-memory.ts'
import { openInboxCalls, type InboxCalls } from '../../adapters/inbox/calls.ts'
import { inboxesInProcess } from '../../adapters/inbox/in-process.ts'
import { openInboxes, type Inboxes } from '../../adapters/inbox/inboxes.ts'
import { openLogLines } from '../../adapters/telemetry/log-lines.ts'
import { openOutbox, type Outbox } from '../../adapters/mail-out/outbox.ts'
import { openMetrics, type Metrics } from '../../adapters/telemetry/metrics.ts'
import { noSpans, openSpans, type Spans } from '../../adapters/telemetry/otlp.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { BY_KEY } from '../../adapters/database/session.ts'
import { serveAt, servedBy } from '../../adapters/postgres/ops/installation.ts'
import { watchClock } from '../../adapters/postgres/ops/process-clocks.ts'
import { openSnapshots } from '../../adapters/postgres/ops/snapshots.ts'
import { openLastSeenNotes } from '../../adapters/postgres/ops/last-seen.ts'
import { forgetLeases, openLease } from '../../adapters/database/lease.ts'
import { enter } from '../../adapters/database/presence.ts'
import { watchSettings } from '../../adapters/database/shared-settings.ts'
import { keepSecrets, type Secrets } from '../../adapters/secrets/secrets.ts'
import { orUnavailable } from '../../adapters/database/or-unavailable.ts'
import { openSender } from '../../adapters/webhook-sender/sender.ts'
import type { Clock, EventStore, Ids, Lease, Sender, Vault, LogLines } from '../../domain/ports.ts'
import { accountCache, Accounts, type AccountCache } from '../../workflows/accounts/accounts.ts'
import type { Capture } from '../../workflows/capture/capture.ts'
import { FOLD_VERSION } from '../../workflows/support/fold-version.ts'
import type { Snapshots } from '../../workflows/support/snapshots.ts'
import { transactionIn } from '../../workflows/lost-history.ts'
import { notifyOperator, type ParkedNotice } from '../../workflows/parked/notify-operator.ts'
import { applyRetention } from '../../workflows/scheduled/expire-events.ts'
import { continueHistory } from './continue-history.ts'
import { openCheckedVault } from './open-checked-vault.ts'
import { openHandOver } from './open-hand-over.ts'
import { openMeasuredCapture } from './open-measured-capture.ts'
import { openFront, type AwaitedServers, type Front } from './front.ts'
import { guardEventStore } from './guard-event-store.ts'
import { openEventStore, storeLines, untilStoreAnswers } from './open-event-store.ts'
import { openPostgres } from './open-postgres.ts'
import { diskOf, serverDisks } from './open-server-disks.ts'
import type { GroupPorts } from '../../workflows/capture/group.ts'
import { openReadModels, type ReadModelsOfProcess } from './open-read-models.ts'
import { kafkaOf, openTopic, type Topic } from './open-topic.ts'
import { openPressure, type Pressure } from './pressure.ts'
import { reportFailures } from './report-failures.ts'
import { identityOf, recognise } from './recognise-installation.ts'
import { recogniseVaultKey } from './recognise-vault-key.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { SHARED_NAMES, sharedSettings } from '../settings/shared-settings.ts'
import { orLostAtStart } from './wait-for-servers.ts'
import { watchStart } from './watch-start.ts'

export interface Installation {
  settings: Settings
  secrets: Secrets
  log: LogLines
  clock: Clock
  database: Database
  /** The same database, with sessions that begin with `BY_KEY`. */
  byKey: Database
  /** This process started the database, so no earlier process is still connected. */
  isFreshDatabase: boolean
  /** For background work: its calls wait while the event store is away. */
  store: EventStore
  /** The same event store for requests, which are refused at once while it is away. */
  requestStore: EventStore
  /** Whether the disk is full, as far as it can be known. */
  disk: Disk
  serverDisks: ServerDisks
  /** Aborts when the store is found to have gone back in time. Everything here must then be opened again. */
  lost: AbortSignal
  /** The present knowledge about the store, for the installation that is opened then. */
  remembered(): StoreMemory
  /** The HTTP servers of the process, which answer health checks since the start. */
  front: Front
  /** The Kafka topic of the log; null without Kafka. */
  topic: Topic | null
  ids: Ids
  vault: Vault
  /** Cache of account states built from the store, shared by all command handlers. */
  accounts: AccountCache
  snapshots: Snapshots
  capture: Capture
  /** Reports which work of this process is overloaded. */
  pressure: Pressure
  readModels: ReadModelsOfProcess
  /** Set by the role that delivers, if it runs in this process. */
  appending: { listener: GroupPorts['onAppending'] }
  sender: Sender
  /** Rules for the addresses that webhooks may call. */
  targets: { allowPrivate: boolean; ownOrigins: readonly string[]; inboxesAt: string }
  /** Webhook endpoints that we host, and the calls that they received. */
  inboxes: Inboxes
  inboxCalls: InboxCalls
  /** Mails to send. */
  outbox: Outbox
  metrics: Metrics
  /** For an OpenTelemetry collector, if the settings name one. */
  spans: Spans
  /** Notifies the operator of an event that cannot be read or projected. */
  notifyOfParked: (notice: ParkedNotice) => void
  /** Receives failures that are retried. */
  onFailure: (error: unknown) => void
  /** A lease that at most one process holds at a time. */
  onlyOne(name: string): Lease
  /** Ends the watch over what the start waits for. */
  started(): void
  /** Calls this at the close, before everything else is closed. */
  onClose(close: () => Promise<unknown>): void
  close(): Promise<void>
}

const spansFor = ({ otlpEndpoint, otlpHeaders, otlpServiceName, otlpDisabled }: Settings, log: LogLines): Spans =>
  otlpEndpoint === undefined || otlpDisabled
    ? noSpans
    : openSpans({
        endpoint: otlpEndpoint,
        headers: otlpHeaders ?? {},
        serviceName: otlpServiceName,
        onFailure: (reason) => log.warn({ reason }, 'traces.not_sent'),
      })

/** @param parts.process  names this process to the operator */
const leasesOf =
  ({
    metrics,
    log,
    ...parts
  }: Pick<Installation, 'database' | 'metrics' | 'log' | 'onFailure'> & { process: string }) =>
  (name: string): Lease =>
    openLease({
      ...parts,
      name,
      onChange: (isHeld) => {
        metrics.holdsLease(name, isHeld)
        log.info({ lease: name }, isHeld ? 'lease.taken' : 'lease.ended')
      },
    })

/**
 * Opens everything that the roles share. Waits for servers that are unavailable and logs which.
 * @param name  names this process to a command that must run alone
 * @param options.ownsDatabase  this process itself must run the embedded Postgres
 * @param options.servesApi  a role of this process serves the API
 * @param options.captures  a role of this process captures notifications
 * @param options.before  what this process knew when it found that the store went back
 * @throws {LostAtStart} · an error whose message says in one line why the process cannot start
 */
export const openInstallation = async (
  name: string,
  stopping: AbortSignal,
  options: { ownsDatabase?: boolean; servesApi?: boolean; captures?: boolean; before?: StoreMemory | undefined } = {},
): Promise<Installation> => {
  const settings = readSettings(process.env)
  const log = openLogLines(settings.logLevel)
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const closeOne of opened.splice(0).reverse()) await closeOne()
  }

  try {
    const endRelease = releaseMemoryAtRest()
    opened.push(async () => endRelease())
    const metrics = openMetrics()
    const spans = spansFor(settings, log)
    opened.push(() => spans.close())
    const awaited: AwaitedServers = new Set()
    const open = async (): Promise<Front> => {
      const front = await openFront({ settings, log, metrics, awaited, servesApi: options.servesApi ?? false })
      opened.push(front.close)
      return front
    }
    // The embedded database is not awaited. A data folder that is in use is a better reason to refuse than its port.
    const early = settings.databaseUrl === undefined ? null : await open()
    const postgres = await openPostgres(settings, log, stopping, { ...options, awaited })
    opened.push(postgres.stop)
    const front = early ?? (await open())
    const disk = await diskOf(settings, postgres.url, log)
    opened.push(async () => disk.close())
    metrics.watchDisk(disk)
    const onFailure = reportFailures(log, disk)
    const database = openDatabase(postgres.url)
    opened.push(database.close)
    const started = watchStart({ database, log, stopping, awaited, ownsDatabase: postgres.isFresh })
    opened.push(async () => started())
    // Only processes that make first attempts connect. A claim may wait for the disk while the next one begins.
    const byKey = openDatabase(postgres.url, { poolSize: 3, session: BY_KEY })
    opened.push(byKey.close)
    if (postgres.isFresh) await forgetLeases(database)
    const presence = await enter(database, name, onFailure)
    opened.push(presence.leave)
    const machine = hostname()
    const shownProcess = `${name}, process ${process.pid} on ${machine}`
    const clockWatch = watchClock({ database, clock, process: shownProcess, machine, log })
    opened.push(clockWatch.close)
    metrics.watchClock(clockWatch.ahead)
    // The database names an installation only after its secrets exist.
    const secrets = keepSecrets(settings.dataDir, settings, (await servedBy(database)) !== null)
    await presence.show(await sharedSettings(settings, secrets.jwtSecret))
    opened.push(watchSettings({ database, names: SHARED_NAMES, log }))

    const outbox = openOutbox(database)
    const notifyOfParked = notifyOperator({ mailer: outbox, adminEmail: settings.adminEmail, log, onFailure })
    const bare = await openEventStore(settings, postgres.url, storeLines(log), ({ stream, revision, data }) =>
      notifyOfParked({ stream, revision, type: data.stored.type, reason: data.problem, detail: data.detail }),
    )
    opened.push(() => bare.close())
    await untilStoreAnswers(bare, log, stopping, awaited)
    const id = await recognise({ settings, store: bare, database, clock })
    const { vaultKeys } = secrets
    await recogniseVaultKey({ settings, vaultKeys, database, store: bare, accounts: new Accounts(bare) })
    // A full disk must not prevent the start.
    if (options.servesApi) await serveAt(database, settings.baseUrl).catch(onFailure)
    await applyRetention(bare, settings.keepUnread)
    const disks = serverDisks({ settings, database, store: bare, log })
    metrics.watchServerDisks(disks)
    const { store, requestStore, end } = guardEventStore(bare, { disk, metrics, log })
    opened.push(end)

    const { history } = bare
    const identity = await identityOf(bare, id)
    const before = options.before ?? loadStoreMemory(settings.dataDir, identity)
    const kafka = kafkaOf(settings)
    const topic = kafka && { ...kafka, installation: id }
    const ids = await continueHistory({ settings, store: requestStore, database, clock, log, before, topic })
    const remembered = (): StoreMemory => ({
      store: identity,
      newest: history.newest(),
      ids: ids.highest(),
      transactions: history.begun().flatMap((stream) => transactionIn(stream) ?? []),
    })
    const endMemory = keepStoreMemory(settings.dataDir, () => (history.lost.aborted ? null : remembered()))
    opened.push(async () => endMemory())
    const snapshots = openSnapshots(database, FOLD_VERSION, onFailure)
    const accounts = accountCache(undefined, snapshots)
    const lastSeen = openLastSeenNotes(database, onFailure)
    opened.push(lastSeen.close)
    const appending: Installation['appending'] = { listener: undefined }
    const captureHere = openMeasuredCapture({
      settings,
      store: requestStore,
      ids,
      clock,
      accounts,
      snapshots,
      lastSeen,
      metrics,
      log,
      spans,
      onAppending: (captured) => appending.listener?.(captured),
    })
    const { capture, close: endHandOver } = await openHandOver({
      settings,
      installation: id,
      jwtSecret: secrets.jwtSecret,
      database,
      capture: captureHere,
      role: options.servesApi ? 'receives' : options.captures ? 'hands over' : null,
      process: shownProcess,
      log,
      onFailure,
      onHandedOver: metrics.handedOver,
    })
    opened.push(endHandOver)
    const readModels = await openReadModels(database, (a, b) => store.isAfter(a, b), settings)
    const { baseUrl } = settings
    const targets = {
      allowPrivate: settings.allowPrivateTargets,
      ownOrigins: [new URL(baseUrl).origin],
      inboxesAt: baseUrl,
    }
    const known = new Accounts(requestStore, accounts)
    const vault = openCheckedVault({ vaultKeys, store: requestStore, accounts: known, log })
    const inboxCalls = openInboxCalls(orUnavailable(database))
    const inboxes = openInboxes({ accounts: known, vault, calls: inboxCalls, baseUrl, clock })
    const sender = openSender({ ...targets, inProcess: inboxesInProcess(inboxes, baseUrl) })
    opened.push(() => sender.close())

    return {
      settings, secrets, log, clock, database, byKey, store, requestStore, front, ids, vault, accounts, snapshots, capture, readModels, sender, targets, inboxes,
      inboxCalls, metrics, spans, onFailure, close, remembered, disk, serverDisks: disks, lost: history.lost,
      appending, started, onClose: (closeOne) => void opened.push(closeOne),
      pressure: openPressure(() => capture.isBusy()),
      isFreshDatabase: postgres.isFresh,
      outbox,
      notifyOfParked,
      topic: openTopic(settings, id, log, stopping),
      onlyOne: leasesOf({ database, process: shownProcess, metrics, log, onFailure }),
    } // prettier-ignore
  } catch (error) {
    const failure = await orLostAtStart(error, { databaseUrl: settings.databaseUrl, log, stopping })
    await close()
    throw failure
  }
}
