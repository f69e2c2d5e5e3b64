/** The API on a real store, real read models and its own port. Capture is real, or a recorder whose answers the test sets. */
import type Koa from 'koa'
import { Registry } from 'prom-client'
import { createApi } from '../../../adapters/http/api.ts'
import { READING_REQUESTS, type ApiParts } from '../../../adapters/http/parts.ts'
import { listen, type Listening } from '../../../adapters/http/server.ts'
import { MOST_WAIT_MS } from '../../../domain/errors.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { exactCounters } from '../../../adapters/rate-limits/exact-counters.ts'
import { settledCounters } from '../../../adapters/rate-limits/settled-counters.ts'
import { openIds } from '../../../adapters/system/ids.ts'
import { openInboxCalls } from '../../../adapters/inbox/calls.ts'
import { inboxesInProcess } from '../../../adapters/inbox/in-process.ts'
import { openInboxes } from '../../../adapters/inbox/inboxes.ts'
import { silent } from '../../../adapters/telemetry/log-lines.ts'
import { openImap } from '../../../adapters/mail/imap.ts'
import { openUsageCounters } from '../../../adapters/postgres/ops/usage.ts'
import { openOutbox, type Outbox } from '../../../adapters/mail-out/outbox.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { orUnavailable } from '../../../adapters/database/or-unavailable.ts'
import { openPutOffReactions } from '../../../adapters/postgres/ops/put-off-reactions.ts'
import { openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { followReadModels } from '../../../adapters/postgres/ops/read-model-progress.ts'
import { openReadModelTables } from '../../../adapters/postgres/ops/read-models.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { checkUrl } from '../../../adapters/webhook-sender/check-url.ts'
import { openSender } from '../../../adapters/webhook-sender/sender.ts'
import type { AccountEvent } from '../../../domain/account/events.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import { planAccountOf } from '../../../domain/plan-order/plan-order.ts'
import type { Checkpoint, Clock, EventStore, Vault } from '../../../domain/ports.ts'
import { transactionStream, type TransactionEvent } from '../../../domain/transaction/events.ts'
import { main } from '../../../projections/main.ts'
import { openProjector, type Projector } from '../../../projections/engine/projector.ts'
import { search } from '../../../projections/search.ts'
import { accountCache, Accounts } from '../../../workflows/accounts/accounts.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import { openUnshownSecrets } from '../../../adapters/postgres/ops/unshown-secrets.ts'
import { createAccount, registerFirstAccount, type FreshAccount } from '../../../workflows/accounts/registration.ts'
import { openCapture } from '../../../workflows/capture/capture.ts'
import { allReactors } from '../../../workflows/reactors/all.ts'
import { openFeed, type FeedParts } from '../../../workflows/live/feed.ts'
import { runReactors } from '../../../workflows/reactors/run.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { freshReadModels } from '../../harness/postgres.ts'
import { asking, type AskApi } from './ask.ts'
import { hashedOnce, OWNERS_PASSWORD, passwords as realPasswords } from './passwords.ts'
import { recordingCapture } from './recording-capture.ts'

export { OWNERS_PASSWORD }

export interface ApiUnderTest {
  /** For tests that inspect the mounted routes. */
  app: Koa
  url: string
  databaseUrl: string
  /** Events, read models and operational tables. It is closed with the API. */
  database: Database
  outbox: Outbox
  store: EventStore
  accounts: Accounts
  vault: Vault
  owner: FreshAccount
  clock: Clock & { at: Date | null }
  arrivals: Arrival[]
  /** The warnings and errors that the API has logged. */
  warnings: { what: string }[]
  /** Sets what capture answers to arrivals with valid credentials. */
  takes: (take: (arrival: Arrival) => Taken) => void
  ask: AskApi
  newAccount(email: string, plan?: 'Free' | 'Basic' | 'Advanced' | 'Pro', password?: string): Promise<FreshAccount>
  /** Appends an event of an account that no command of the API causes. */
  decree(userId: number, event: AccountEvent): Promise<void>
  /** Appends events of one transaction, and waits until the read models show them. */
  happened(userId: number, transactionId: number, events: readonly TransactionEvent[]): Promise<void>
  /** The first events of many transactions, each in its stream. */
  happenedTo(userId: number, streams: readonly (readonly [string, readonly TransactionEvent[]])[]): Promise<void>
  /** Waits until the read models show the store up to this position. */
  shown(checkpoint: Checkpoint): Promise<void>
  nextId(): Promise<number>
  nextIds(number: number): Promise<number[]>
  /** The URL of another process of the API, which does not project. It stops with this one, or by `stop`. */
  another(limits?: Pick<FeedParts, 'mostRead'>): Promise<{ url: string; stop(): Promise<void> }>
  /** Stops the update of the search index until `resumeSearch`. */
  holdSearch(): Promise<void>
  resumeSearch(): void
  close(): Promise<void>
}

export const JWT_SECRET = 'a secret for tests, which nobody would guess'
/** The defaults of the settings. */
const ABUSE = { perHour: 1_000, polls: 20, parallel: 20 }
export const BASE_URL = 'https://baoco.example'
/** The allowed targets of webhooks. */
const TARGETS = { allowPrivate: true, ownOrigins: [BASE_URL], inboxesAt: BASE_URL }

/** @returns a function that stops it */
const runUntilStopped = (projector: Projector): (() => Promise<void>) => {
  const stopping = new AbortController()
  const running = projector.run(stopping.signal)
  return () => {
    stopping.abort()
    return running
  }
}

/** The event store of background work and of requests. */
export interface StoresUnderTest {
  store: EventStore
  requestStore: EventStore
}

/** One Postgres has the events and the read models. */
const oneDatabase = async (url: string): Promise<StoresUnderTest> => {
  const store = await openPostgresEventStore({ url, parse: parseEvent })
  return { store, requestStore: store }
}

export interface ApiOptions {
  openStores?: (databaseUrl: string) => Promise<StoresUnderTest>
  /** The built dashboard. Default: it is not served. */
  web?: ApiParts['web']
  /** Default: those of production. */
  passwords?: typeof realPasswords
}

export const openApi = async (
  settings: Partial<ApiParts['settings']> = {},
  capturing: 'recorded' | 'real' = 'recorded',
  { openStores = oneDatabase, web = null, passwords = realPasswords }: ApiOptions = {},
): Promise<ApiUnderTest> => {
  const { url: databaseUrl, drop } = await freshReadModels()
  const database = openDatabase(databaseUrl)
  const { store, requestStore } = await openStores(databaseUrl)
  const tables = openReadModelTables(database)
  const clock: ApiUnderTest['clock'] = { at: null, now: () => clock.at ?? new Date() }
  const ids = openIds({ store: requestStore, clock })
  const vault = openVault(['ab'.repeat(32)])
  const cache = accountCache()
  const accounts = new Accounts(requestStore, cache)
  const projector = await openProjector({ store, tables, definition: main, log: silent })
  const stopping = new AbortController()
  const projecting = projector.run(stopping.signal)
  const searchTables = openReadModelTables(database)
  const searchProjector = await openProjector({ store, tables: searchTables, definition: search, log: silent })
  let searching: (() => Promise<void>) | undefined = runUntilStopped(searchProjector)
  const registration = { store, ids, clock, vault, passwords: hashedOnce }
  const unshown = openUnshownSecrets(database, vault)
  const owner = await registerFirstAccount(
    { ...registration, unshown },
    { email: 'owner@baoco.local', password: OWNERS_PASSWORD, language: 'en' },
  )
  await unshown.forget()

  const recorder = recordingCapture(accounts)
  const warnings: { what: string }[] = []
  const warn = (fields: object, what: string) => void warnings.push({ what, ...fields })
  const log: ApiParts['log'] = { ...silent, warn, error: warn }
  const outbox = openOutbox(database)
  const inboxCalls = openInboxCalls(orUnavailable(database))
  const inboxes = openInboxes({ accounts, vault, calls: inboxCalls, baseUrl: BASE_URL, clock })
  const sender = openSender({ ...TARGETS, inProcess: inboxesInProcess(inboxes, BASE_URL) })
  const usage = openUsageCounters(database, { ...ABUSE, perHour: settings.abusePerHour ?? ABUSE.perHour })
  const capture =
    capturing === 'real'
      ? openCapture({
          store: requestStore,
          ids,
          clock,
          accounts: cache,
          plans: planAccountOf({ planPrefix: 'BC', ...settings }),
        })
      : recorder.capture
  const reacting =
    capturing === 'real'
      ? runReactors(
          {
            store,
            reactors: allReactors({
              store,
              clock,
              ids,
              vault,
              mailer: outbox,
              links: mailLinks(JWT_SECRET, BASE_URL),
              adminEmail: 'owner@baoco.local',
              commission: 20,
              sender,
              log: silent,
              plans: planAccountOf({ planPrefix: 'BC', ...settings }),
              maxAgeMs: (settings.reparseMaxAge ?? 86_400) * 1_000,
            }),
            putOffs: openPutOffReactions(database),
            checkpoint: openReactorCheckpoint(database),
            log: silent,
          },
          stopping.signal,
        )
      : undefined
  const feed = openFeed({ store, readModels: projector })
  const readModels: ApiParts['readModels'] = {
    passed: (checkpoint, timeoutMs) => projector.passed(checkpoint, timeoutMs),
    shown: () => Promise.resolve(),
  }
  const parts: ApiParts = {
    store: requestStore, accounts, ids, clock, vault, passwords, readModels, capture, sender,
    database: database.sharedWithin(MOST_WAIT_MS, READING_REQUESTS),
    urlProblem: (url) => checkUrl(url, TARGETS),
    outbox, inboxes, web,
    disk: { space: () => ({ free: 5_000_000_000, size: 20_000_000_000 }), isFull: () => false, isDatabaseFull: () => false },
    serverDisks: { measured: async () => [{ of: 'event_store', space: { free: 7e9, size: 9e9 }, place: '/data' }] },
    feed,
    mailServer: openImap({ allowPrivate: true }),
    usage,
    counters: { exact: exactCounters(database), hot: settledCounters(database).counterFor },
    log,
    metrics: new Registry(),
    readiness: () => [
      { name: 'event_store', needed: true, check: () => store.end() },
      { name: 'read_models', needed: false, check: () => database.query('SELECT 1') },
    ],
    settings: { baseUrl: BASE_URL, jwtSecret: JWT_SECRET, rateLimits: 'off', abusePerHour: ABUSE.perHour, trustProxy: 0, planPrefix: 'BC', reparseMaxAge: 86_400, ...settings },
  } // prettier-ignore
  const app = createApi(parts)
  const server: Listening = await listen(app, 0, { host: '127.0.0.1' })
  const url = `http://127.0.0.1:${server.port}`

  const others: (() => Promise<void>)[] = []
  const another: ApiUnderTest['another'] = async (limits) => {
    const { passed } = followReadModels(database, (a, b) => store.isAfter(a, b), main.projector)
    const readModels = { passed, shown: () => Promise.resolve() }
    const feed = openFeed({ store, readModels, ...limits })
    const server = await listen(createApi({ ...parts, readModels, feed, metrics: new Registry() }), 0, {
      host: '127.0.0.1',
    })
    let stopping: Promise<void> | undefined
    const stop = () => (stopping ??= feed.close().then(() => server.close(1_000)))
    others.push(stop)
    return { url: `http://127.0.0.1:${server.port}`, stop }
  }

  const shown = async (checkpoint: Checkpoint): Promise<void> => {
    if (!(await projector.passed(checkpoint, 60_000))) throw new Error(JSON.stringify(projector.health()))
  }

  const append = async (stream: string, userId: number, events: readonly { type: string; data: unknown }[]) => {
    const occasion = { user_id: userId, at: clock.now(), correlation_id: 'test', causation_id: 'test' }
    const [[newest] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
    const [result] = await store.append([
      [{ stream, expectedRevision: newest?.revision ?? -1, events: stamp(events, occasion) }],
    ])
    if (!result?.ok) throw new Error(`conflict on ${stream}`)
    await shown(result.checkpoint)
  }

  return {
    app, url, databaseUrl, database, outbox, store, accounts, vault, owner: owner!, clock, warnings,
    arrivals: recorder.arrivals,
    takes: recorder.takes,
    ask: asking(url),
    newAccount: (email, plan = 'Pro', password = OWNERS_PASSWORD) => createAccount(registration, { email, plan, password, language: 'en' }),
    decree: (userId, event) => append(`account-${userId}`, userId, [event]),
    happened: (userId, transactionId, events) => append(transactionStream(transactionId), userId, events),
    happenedTo: async (userId, streams) => {
      const occasion = { user_id: userId, at: clock.now(), correlation_id: 'test', causation_id: 'test' }
      const units = streams.map(([stream, events]) => [{ stream, expectedRevision: -1, events: stamp(events, occasion) }])
      for (let from = 0; from < units.length; from += 250) {
        const last = (await store.append(units.slice(from, from + 250))).at(-1)!
        if (!last.ok) throw new Error('conflict')
        await shown(last.checkpoint)
      }
    },
    shown,
    nextIds: (number) => ids.next(number),
    nextId: async () => (await ids.next(1))[0]!,
    holdSearch: async () => {
      await searching?.()
      searching = undefined
    },
    resumeSearch: () => void (searching ??= runUntilStopped(searchProjector)),
    another,
    close: async () => {
      await feed.close()
      await Promise.all(others.map((stop) => stop()))
      await server.close(1_000)
      await sender.close()
      stopping.abort()
      await Promise.all([projecting, reacting, searching?.()])
      await Promise.all([tables.close(), searchTables.close()])
      await store.close()
      await database.close()
      await drop()
    },
  } // prettier-ignore
}
