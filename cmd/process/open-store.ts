// Tests: tests/e2e/main-job-roles.test.ts
/** The event store of an installation: opened, recognised, guarded against its outages, and continued where the installation was. */
import { openOutbox, type Outbox } from '../../adapters/mail-out/outbox.ts'
import { serveAt } from '../../adapters/postgres/ops/installation.ts'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import type { ServerDisks } from '../../adapters/system/server-disks.ts'
import { keepStoreMemory, loadStoreMemory, type StoreMemory } from '../../adapters/system/store-memory.ts'
import type { EventStore, Ids } from '../../domain/ports.ts'
import { Accounts } from '../../workflows/accounts/accounts.ts'
import { transactionIn } from '../../domain/transaction/events.ts'
import { notifyOperator, type ParkedNotice } from '../../workflows/parked/notify-operator.ts'
import { applyRetention } from '../../workflows/scheduled/expire-events.ts'
import { continueHistory } from './continue-history.ts'
import { guardEventStore } from './guard-event-store.ts'
import type { Connections } from './open-connections.ts'
import { openEventStore, storeLines, untilStoreAnswers } from './open-event-store.ts'
import { serverDisks } from './open-server-disks.ts'
import { kafkaOf } from './open-topic.ts'
import type { Opening } from './opening.ts'
import { identityOf, recognise } from './recognise-installation.ts'
import { recogniseVaultKey } from './recognise-vault-key.ts'

export interface Store {
  /** The id of the installation. */
  id: string
  /** For background work: its calls wait while the event store is away. */
  store: EventStore
  /** The same event store for requests, which are refused at once while it is away. */
  requestStore: EventStore
  serverDisks: ServerDisks
  ids: Ids
  /** Aborts when the store is found to have gone back in time. Everything here must then be opened again. */
  lost: AbortSignal
  /** The present knowledge about the store, for the installation that is opened then. */
  remembered: () => StoreMemory
  /** Mails to send. */
  outbox: Outbox
  /** Notifies the operator of an event that cannot be read or projected. */
  notifyOfParked: (notice: ParkedNotice) => void
}

export const openStore = async (
  { settings, log, metrics, stopping, awaited, options, onClose }: Opening,
  { databaseUrl, database, disk, secrets: { vaultKeys }, onFailure }: Connections,
): Promise<Store> => {
  const outbox = openOutbox(database)
  const notifyOfParked = notifyOperator({ mailer: outbox, adminEmail: settings.adminEmail, log, onFailure })
  const bare = await openEventStore(settings, databaseUrl, storeLines(log), ({ stream, revision, data }) =>
    notifyOfParked({ stream, revision, type: data.stored.type, reason: data.problem, detail: data.detail }),
  )
  onClose(() => bare.close())
  await untilStoreAnswers(bare, log, stopping, awaited)
  const id = await recognise({ settings, store: bare, database, clock })
  await recogniseVaultKey({ settings, vaultKeys, database, store: bare, accounts: new Accounts(bare) })
  // A full disk must not prevent the start.
  if (options.servesApi) await serveAt(database, settings.baseUrl).catch(onFailure)
  await applyRetention(bare, settings.keepUnread)
  const disks = serverDisks({ settings, database, store: bare, log })
  metrics.watchServerDisks(disks)
  const { store, requestStore, end } = guardEventStore(bare, { disk, metrics, log })
  onClose(end)

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
  onClose(keepStoreMemory(settings.dataDir, () => (history.lost.aborted ? null : remembered())))
  return { id, store, requestStore, serverDisks: disks, ids, lost: history.lost, remembered, outbox, notifyOfParked }
}
