/**
 * `baoco serve`: everything in one process. This is the picture in the README, line by line: what comes in is captured into
 * the event store, and the read models and deliveries follow from its events.
 */
import type { Command } from 'commander'
import { systemClock as clock } from '../adapters/clock.ts'
import { createApi, createHealth } from '../adapters/http/api.ts'
import { listen } from '../adapters/http/server.ts'
import { openIds } from '../adapters/ids.ts'
import { openLogLines } from '../adapters/log-lines.ts'
import { openOutbox, sweepOutbox } from '../adapters/mail-out/outbox.ts'
import { openMetrics } from '../adapters/metrics.ts'
import { openPasswords } from '../adapters/passwords.ts'
import { openDatabase } from '../adapters/postgres/database.ts'
import { openDeliveryQueue } from '../adapters/postgres/delivery-queue.ts'
import { openEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { migrateDatabase } from '../adapters/postgres/migrate.ts'
import { openReactionCheckpoint } from '../adapters/postgres/reaction-checkpoint.ts'
import { openReadModelTables } from '../adapters/postgres/read-models.ts'
import { keepSecrets } from '../adapters/secrets.ts'
import { openVault } from '../adapters/vault.ts'
import { checkUrl } from '../adapters/webhook-sender/check-url.ts'
import { openSender } from '../adapters/webhook-sender/sender.ts'
import type { EventStore } from '../domain/ports.ts'
import { main } from '../projections/main.ts'
import { openProjector, type Projector } from '../projections/projector.ts'
import { accountCache, Accounts } from '../workflows/accounts/accounts.ts'
import { registerFirstAccount } from '../workflows/accounts/registration.ts'
import { openCapture } from '../workflows/capture/capture.ts'
import { openDelivery } from '../workflows/deliver/deliver.ts'
import { retainAsPlanned } from '../workflows/planned/expire-events.ts'
import { plannedWork } from '../workflows/planned/planned-work.ts'
import { allReactions } from '../workflows/reactions/all.ts'
import { runReactions } from '../workflows/reactions/run.ts'
import { greeting } from './greeting.ts'
import { expiry, openEventStore, refuseToBeginAnew, untilStoreAnswers } from './open-event-store.ts'
import { openLog, relay } from './open-log.ts'
import { sendMails } from './send-mails.ts'
import { readSettings } from './settings.ts'
import { stopSignal } from './stop-signal.ts'

/** Requests in flight when a stop begins are finished by then, or cut off (milliseconds). */
const REQUEST_GRACE_MS = 5_000

const readModelsFollow = async (projector: Projector): Promise<void> => {
  const { state, reason } = projector.health()
  if (state === 'away' || state === 'stopped') throw new Error(reason ?? state)
}

/** What was stored before this start is in the read models, or it is told why it never will be. */
const caughtUp = async (store: EventStore, projector: Projector, stopping: AbortSignal): Promise<void> => {
  const end = await store.end()
  while (end !== null && !stopping.aborted && projector.health().state !== 'stopped')
    if (await projector.passed(end, 1_000)) return
}

const run = async (): Promise<void> => {
  const stopping = stopSignal()
  const settings = readSettings(process.env)
  const log = openLogLines(settings.logLevel)
  const onTrouble = (error: unknown) => log.warn({ err: error }, 'trouble')

  const { dataDir } = settings
  const embedded = settings.databaseUrl === undefined ? await openEmbeddedPostgres({ dataDir, log }) : null
  const databaseUrl = settings.databaseUrl ?? embedded!.url
  await migrateDatabase(databaseUrl)
  const database = openDatabase(databaseUrl)
  const secrets = keepSecrets(dataDir, settings)
  const vault = openVault(secrets.vaultKeys)
  const passwords = openPasswords()

  const store = await openEventStore(settings, databaseUrl, onTrouble)
  const isThere = untilStoreAnswers(store, log, stopping).then(() => refuseToBeginAnew(settings, store, database))
  await isThere.catch(async (error: unknown) => {
    await Promise.all([store.close(), database.close()])
    await embedded?.stop()
    throw error
  })
  await retainAsPlanned(store)
  const ids = openIds({ store, clock, skip: settings.idSkip })
  const knownAccounts = accountCache()
  const accounts = new Accounts(store, knownAccounts)
  const fresh = await registerFirstAccount(
    { store, ids, clock, vault, passwords },
    { email: settings.adminEmail, password: settings.adminPassword },
  )

  const tables = openReadModelTables(database)
  const projector = await openProjector({ store, tables, definition: main, log, givesWay: () => capture.isBusy() })
  const metrics = openMetrics({ projectionLagMs: () => projector.lag() })

  const capture = openCapture({
    store,
    ids,
    clock,
    accounts: knownAccounts,
    onTaken: (taken) => {
      metrics.notificationTaken(taken.outcome)
      log.info(taken, 'notification.received')
    },
  })

  const targets = { allowPrivate: settings.allowPrivateTargets, ownOrigins: [new URL(settings.baseUrl).origin] }
  const sender = openSender(targets)
  const deliveryLog = openLog({ settings, store, database, log })
  const delivery = openDelivery({
    store,
    log: deliveryLog,
    queue: openDeliveryQueue(database),
    sender,
    ids,
    vault,
    clock,
    readModels: projector,
    schedule: settings.retrySchedule,
    givesWay: () => capture.isBusy(),
    soleWorker: embedded !== null,
    onAttempt: (attempt) => {
      metrics.attempted(attempt)
      log.info(attempt, 'delivery.attempted')
    },
    onClaimsOpen: (claims_open) => log.info({ claims_open }, 'delivery.claims_open'),
    onError: onTrouble,
  })

  const outbox = openOutbox(database)
  const readiness = [
    { name: 'event_store', needed: true, check: () => store.end() },
    { name: 'read_models', needed: false, check: () => readModelsFollow(projector) },
    { name: 'log', needed: false, check: () => deliveryLog.check() },
  ]
  const parts = {
    store, accounts, ids, clock, vault, passwords, database, readModels: projector, capture, sender, log, readiness, outbox,
    urlProblem: (url: string) => checkUrl(url, targets),
    metrics: metrics.registry,
    settings: { ...settings, jwtSecret: secrets.jwtSecret },
  } // prettier-ignore

  const ending = new AbortController()
  const running = [
    projector.run(ending.signal),
    relay({ settings, store, database, log }, ending.signal),
    delivery.run(stopping),
    runReactions(
      { store, reactions: allReactions(store, clock), checkpoint: openReactionCheckpoint(database), log },
      ending.signal,
    ),
    plannedWork([expiry(settings, store), sweepOutbox(database)], log, ending.signal),
    sendMails({ settings, outbox, log }, ending.signal),
  ]
  const listening = [await listen(createApi(parts), settings.port)]
  if (settings.metricsPort !== undefined) listening.push(await listen(createHealth(parts), settings.metricsPort))

  await caughtUp(store, projector, stopping)
  console.log(greeting(settings.baseUrl, fresh, clock.now()))
  console.log(`Baoco is ready on port ${settings.port}`)

  if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }))
  await Promise.all([...listening.map(({ close }) => close(REQUEST_GRACE_MS)), delivery.stop()])
  ending.abort()
  await Promise.all(running)
  await sender.close()
  await tables.close()
  await store.close()
  await database.close()
  await embedded?.stop()
}

export const serve = (program: Command): void => {
  program.command('serve').description('everything in one process').action(run)
}
