// Tests: tests/e2e/main-job-roles.test.ts
/**
 * The resources that all roles of a process share: connections to servers, opened and checked, and objects created once per process. Each
 * role uses these and adds its own.
 */
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { openIds } from '../../adapters/system/ids.ts'
import { openInboxCalls, type InboxCalls } from '../../adapters/inbox/calls.ts'
import { inboxesInProcess } from '../../adapters/inbox/in-process.ts'
import { openInboxes, type Inboxes } from '../../adapters/inbox/inboxes.ts'
import { openLogLines, type LogLines } from '../../adapters/telemetry/log-lines.ts'
import { openOutbox, type Outbox } from '../../adapters/mail-out/outbox.ts'
import { openMetrics, type Metrics } from '../../adapters/telemetry/metrics.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { BY_KEY } from '../../adapters/database/session.ts'
import { openLastSeenNotes } from '../../adapters/postgres/ops/last-seen.ts'
import { forgetLeases, openLease } from '../../adapters/database/lease.ts'
import { enter } from '../../adapters/database/presence.ts'
import { keepSecrets, type Secrets } from '../../adapters/secrets/secrets.ts'
import { orUnavailable } from '../../adapters/database/or-unavailable.ts'
import { openVault } from '../../adapters/secrets/vault.ts'
import { openSender } from '../../adapters/webhook-sender/sender.ts'
import { planAccountOf } from '../../domain/plan-order/plan-order.ts'
import type { Clock, EventStore, Ids, Lease, Sender, Vault } from '../../domain/ports.ts'
import { accountCache, Accounts, type AccountCache } from '../../workflows/accounts/accounts.ts'
import { openCapture, type Capture } from '../../workflows/capture/capture.ts'
import { applyRetention } from '../../workflows/scheduled/expire-events.ts'
import { openEventStore, untilStoreAnswers } from './open-event-store.ts'
import { openPostgres } from './open-postgres.ts'
import { openReadModels, type ReadModelsOfProcess } from './open-read-models.ts'
import { openTopic, type Topic } from './open-topic.ts'
import { openPressure, type Pressure } from './pressure.ts'
import { recognise } from './recognise-installation.ts'
import { readSettings, type Settings } from './settings.ts'

export interface Installation {
  settings: Settings
  secrets: Secrets
  log: LogLines
  clock: Clock
  database: Database
  /** The same database, with sessions that begin with `BY_KEY`. */
  byKey: Database
  /** This process started the database, so no process from before is still connected. */
  isFreshDatabase: boolean
  store: EventStore
  /** The Kafka topic of the log; null without Kafka. */
  topic: Topic | null
  ids: Ids
  vault: Vault
  /** Cache of account states built from the store, shared by all command handlers. */
  accounts: AccountCache
  capture: Capture
  /** Reports which work of this process is overloaded. */
  pressure: Pressure
  readModels: ReadModelsOfProcess
  sender: Sender
  /** Rules for the addresses that webhooks may call. */
  targets: { allowPrivate: boolean; ownOrigins: readonly string[]; inboxesAt: string }
  /** Webhook endpoints that we host, and the calls that they received. */
  inboxes: Inboxes
  inboxCalls: InboxCalls
  /** Mails to send. */
  outbox: Outbox
  metrics: Metrics
  /** Receives failures that are retried. */
  onFailure: (error: unknown) => void
  /** A lease that at most one process holds at a time. */
  onlyOne(name: string): Lease
  close(): Promise<void>
}

/**
 * Opens everything that the roles share. Waits for servers that are unavailable and logs which.
 * @param name  names this process to a command that must run alone
 * @param options.ownsDatabase  this process itself must run the embedded Postgres
 * @throws an error whose message says in one line why the process cannot start
 */
export const openInstallation = async (
  name: string,
  stopping: AbortSignal,
  options: { ownsDatabase?: boolean } = {},
): Promise<Installation> => {
  const settings = readSettings(process.env)
  const log = openLogLines(settings.logLevel)
  const onFailure = (error: unknown) => log.warn({ err: error }, 'trouble')
  const opened: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end()
  }

  try {
    const postgres = await openPostgres(settings, log, stopping, options)
    opened.push(postgres.stop)
    const database = openDatabase(postgres.url)
    opened.push(database.close)
    // Connects only in processes that make first attempts.
    const byKey = openDatabase(postgres.url, { poolSize: 1, session: BY_KEY })
    opened.push(byKey.close)
    if (postgres.isFresh) await forgetLeases(database)
    const presence = await enter(database, name, onFailure)
    opened.push(presence.leave)
    const secrets = keepSecrets(settings.dataDir, settings)

    const store = await openEventStore(settings, postgres.url, onFailure)
    opened.push(() => store.close())
    await untilStoreAnswers(store, log, stopping)
    const id = await recognise({ settings, store, database, clock })
    await applyRetention(store, settings.keepUnread)

    const ids = openIds({ store, clock, skip: settings.idSkip })
    const accounts = accountCache()
    const metrics = openMetrics()
    const lastSeen = openLastSeenNotes(database, onFailure)
    opened.push(lastSeen.close)
    const capture = openCapture({
      store,
      ids,
      clock,
      accounts,
      plans: planAccountOf(settings),
      oldAfterMs: settings.reparseMaxAge * 1_000,
      onTaken: (taken) => {
        metrics.notificationTaken(taken.outcome)
        if (taken.user_id !== null && taken.door !== null) lastSeen.note(taken.user_id, taken.door, clock.now())
        log.info(taken, 'notification.received')
      },
    })
    const readModels = await openReadModels(database, (a, b) => store.isAfter(a, b), settings)
    const { baseUrl } = settings
    const targets = {
      allowPrivate: settings.allowPrivateTargets,
      ownOrigins: [new URL(baseUrl).origin],
      inboxesAt: baseUrl,
    }
    const vault = openVault(secrets.vaultKeys)
    const inboxCalls = openInboxCalls(orUnavailable(database))
    const inboxes = openInboxes({ accounts: new Accounts(store, accounts), vault, calls: inboxCalls, baseUrl, clock })
    const sender = openSender({ ...targets, inProcess: inboxesInProcess(inboxes, baseUrl) })
    opened.push(() => sender.close())

    return {
      settings, secrets, log, clock, database, byKey, store, ids, vault, accounts, capture, readModels, sender, targets, inboxes,
      inboxCalls, metrics, onFailure, close,
      pressure: openPressure(() => capture.isBusy()),
      isFreshDatabase: postgres.isFresh,
      outbox: openOutbox(database),
      topic: openTopic(settings, id, log, stopping),
      onlyOne: (name) => openLease({ database, name, onFailure }),
    } // prettier-ignore
  } catch (error) {
    await close()
    throw error
  }
}
