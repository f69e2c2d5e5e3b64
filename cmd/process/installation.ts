// Tests: tests/e2e/main-job-roles.test.ts
/**
 * The resources that all roles of a process share: connections to servers, opened and checked, and objects created once per process. Each
 * role uses these and adds its own.
 */
import { openLease } from '../../adapters/database/lease.ts'
import { orUnavailable } from '../../adapters/database/or-unavailable.ts'
import { openInboxCalls } from '../../adapters/inbox/calls.ts'
import { inboxesInProcess } from '../../adapters/inbox/in-process.ts'
import { openInboxes, type Inboxes } from '../../adapters/inbox/inboxes.ts'
import { openLastSeenNotes } from '../../adapters/postgres/ops/last-seen.ts'
import { openSnapshots } from '../../adapters/postgres/ops/snapshots.ts'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { openSender } from '../../adapters/webhook-sender/sender.ts'
import type { Clock, Lease, Sender, Vault } from '../../domain/ports.ts'
import { accountCache, Accounts, type AccountCache } from '../../workflows/accounts/accounts.ts'
import type { Capture } from '../../workflows/capture/capture.ts'
import type { GroupPorts } from '../../workflows/capture/group.ts'
import { FOLD_VERSION } from '../../workflows/support/fold-version.ts'
import type { Snapshots } from '../../workflows/support/snapshots.ts'
import { openCheckedVault } from './open-checked-vault.ts'
import { openConnections, type Connections } from './open-connections.ts'
import { openHandOver } from './open-hand-over.ts'
import { openMeasuredCapture } from './open-measured-capture.ts'
import { openReadModels, type ReadModelsOfProcess } from './open-read-models.ts'
import { openStore, type Store } from './open-store.ts'
import { openTopic, type Topic } from './open-topic.ts'
import { beginOpening, type Opening, type OpeningOptions } from './opening.ts'
import { openPressure, type Pressure } from './pressure.ts'
import { orLostAtStart } from './wait-for-servers.ts'

interface Receiving {
  /** Cache of account states built from the store, shared by all command handlers. */
  accounts: AccountCache
  snapshots: Snapshots
  capture: Capture
  /** Set by the role that delivers, if it runs in this process. */
  appending: { listener: GroupPorts['onAppending'] }
}

interface Calling {
  vault: Vault
  sender: Sender
  /** Rules for the addresses that webhooks may call. */
  targets: { allowPrivate: boolean; ownOrigins: readonly string[]; inboxesAt: string }
  /** Webhook endpoints that we host. */
  inboxes: Inboxes
}

/** What the roles use of the opening. */
type Shared = Pick<Opening, 'settings' | 'log' | 'metrics' | 'spans' | 'onClose' | 'close'>

export interface Installation
  extends Shared, Omit<Connections, 'databaseUrl' | 'shownProcess'>, Omit<Store, 'id'>, Receiving, Calling {
  clock: Clock
  /** The Kafka topic of the log; null without Kafka. */
  topic: Topic | null
  /** Reports which work of this process is overloaded. */
  pressure: Pressure
  readModels: ReadModelsOfProcess
  /** A lease that at most one process holds at a time. */
  onlyOne: (name: string) => Lease
}

/**
 * Opens everything that the roles share. Waits for servers that are unavailable and logs which.
 * @param name  names this process to a command that must run alone
 * @throws {LostAtStart} · an error whose message says in one line why the process cannot start
 */
export const openInstallation = async (
  name: string,
  stopping: AbortSignal,
  options: OpeningOptions,
): Promise<Installation> => {
  const opening = beginOpening(name, stopping, options)
  const { settings, log } = opening
  try {
    const connections = await openConnections(opening)
    const events = await openStore(opening, connections)
    const receiving = await openReceiving(opening, connections, events)
    const { databaseUrl: _url, shownProcess: _shown, ...connected } = connections
    const { id, ...stored } = events
    const readModels = await openReadModels(connected.database, (a, b) => stored.store.isAfter(a, b), settings)
    const { metrics, spans, onClose, close } = opening
    return {
      settings,
      log,
      metrics,
      spans,
      onClose,
      close,
      ...connected,
      ...stored,
      ...receiving,
      ...openCalling(opening, connections, events, receiving),
      clock,
      readModels,
      pressure: openPressure(() => receiving.capture.isBusy()),
      topic: openTopic(settings, id, log, stopping),
      onlyOne: leasesOf(opening, connections),
    }
  } catch (error) {
    const failure = await orLostAtStart(error, { databaseUrl: settings.databaseUrl, log, stopping })
    await opening.close()
    throw failure
  }
}

const openReceiving = async (
  { settings, log, metrics, spans, options, onClose }: Opening,
  { database, secrets, shownProcess, onFailure }: Connections,
  { id, requestStore, ids }: Store,
): Promise<Receiving> => {
  const snapshots = openSnapshots(database, FOLD_VERSION, onFailure)
  const accounts = accountCache(undefined, snapshots)
  const lastSeen = openLastSeenNotes(database, onFailure)
  onClose(lastSeen.close)
  const appending: Receiving['appending'] = { listener: undefined }
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
  const { capture, close } = await openHandOver({
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
  onClose(close)
  return { accounts, snapshots, capture, appending }
}

const openCalling = (
  { settings, log, onClose }: Opening,
  { database, secrets: { vaultKeys } }: Connections,
  { requestStore }: Store,
  { accounts }: Receiving,
): Calling => {
  const { baseUrl, allowPrivateTargets: allowPrivate } = settings
  const targets = { allowPrivate, ownOrigins: [new URL(baseUrl).origin], inboxesAt: baseUrl }
  const known = new Accounts(requestStore, accounts)
  const vault = openCheckedVault({ vaultKeys, store: requestStore, accounts: known, log })
  const calls = openInboxCalls(orUnavailable(database))
  const inboxes = openInboxes({ accounts: known, vault, calls, baseUrl, clock })
  const sender = openSender({ ...targets, inProcess: inboxesInProcess(inboxes, baseUrl) })
  onClose(() => sender.close())
  return { vault, sender, targets, inboxes }
}

const leasesOf =
  ({ metrics, log }: Opening, { database, shownProcess, onFailure }: Connections) =>
  (name: string): Lease =>
    openLease({
      database,
      process: shownProcess,
      onFailure,
      name,
      onChange: (isHeld) => {
        metrics.holdsLease(name, isHeld)
        log.info({ lease: name }, isHeld ? 'lease.taken' : 'lease.ended')
      },
    })
