// Tests: tests/integration/http/protocol.test.ts
/** Dependencies of the API. The composition root supplies them; nothing is opened here. */
import type { Registry } from 'prom-client'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import type { LogLines, ReadModels, ReadModelsHere, Sender } from '../../domain/ports.ts'
import type { AccountParts } from '../../workflows/accounts/accounts.ts'
import type { MailServer } from '../../workflows/mail-ingest/mailbox.ts'
import type { Feed } from '../../workflows/live/feed.ts'
import type { UsageCounters } from '../postgres/ops/usage.ts'
import type { DiskSpace } from '../../domain/disk.ts'
import type { ServerDisks } from '../system/server-disks.ts'
import type { Inboxes } from '../inbox/inboxes.ts'
import type { Outbox } from '../mail-out/outbox.ts'
import type { SharedDatabase, Shares } from '../database/fair-shares.ts'
import type { WebFiles } from './dashboard/files.ts'
import type { HealthCheck } from './resources/health.ts'
import type { CounterFor, RateLimits } from './middleware/rate-limits.ts'
import type { Account } from '../../domain/account/state.ts'
import type { AccountEvent } from '../../domain/account/events.ts'
import { type ApiContext, occasionOf } from './context.ts'

export interface ApiParts extends Omit<AccountParts, 'planPrefix'> {
  /** The database of the read models. */
  database: SharedDatabase
  readModels: ReadModels & Pick<ReadModelsHere, 'shown'>
  capture: { take(arrivals: readonly Arrival[], waitedMs?: number): Promise<Taken[]> }
  /** For test calls. */
  sender: Sender
  /** For testing mail accounts. */
  mailServer: MailServer
  outbox: Outbox
  /** Webhook endpoints that we host. */
  inboxes: Inboxes
  /** Live events. */
  feed: Feed
  /** The API usage of accounts, for the abuse lock. */
  usage: Pick<UsageCounters, 'enter' | 'leave'>
  /** Counters of the rate limits: `exact` is shared by all processes, `hot` needs no round trip and is for the receive path. */
  counters: { exact: CounterFor; hot: CounterFor }
  /** Whether a disk is full, and the space of the embedded database's; null if the servers are elsewhere. */
  disk: { space(): DiskSpace | null; isFull(): boolean; isDatabaseFull(): boolean }
  /** The disks of servers. */
  serverDisks: Pick<ServerDisks, 'measured'>
  /** The built dashboard; null: it is not served. */
  web: WebFiles | null
  log: LogLines
  metrics: Registry
  /** Health checks that must pass for `/readyz` to report ready. */
  readiness: () => readonly HealthCheck[]
  settings: {
    /** Without a trailing slash. */
    baseUrl: string
    jwtSecret: string
    rateLimits: 'off' | RateLimits
    /** An account is locked if it makes more requests than this in an hour. */
    abusePerHour: number
    /** Number of reverse proxies in front whose X-Forwarded-For is trusted. */
    trustProxy: number
    planPrefix: string
    planBank?: string | undefined
    planAccount?: string | undefined
    planHolder?: string | undefined
    /** In seconds. A notification that is older when it is read again triggers no webhook. */
    reparseMaxAge: number
    /** Set if the events are in EventStoreDB. */
    eventStoreUrl?: string | undefined
    /** If set, health and metrics are served on this port instead of the API's. */
    metricsPort?: number | undefined
    /** The token that grants access to the metrics. */
    metricsToken?: string | undefined
  }
}

/**
 * Connections of the pool that requests use at a time. The rest is for what must not wait for slow reads: leases, limits of callers, and in
 * `serve` the deliveries.
 */
export const READING_REQUESTS: Shares = { most: 6, mostOfOne: 4 }

/** A command's response waits at most this long for the read models, so that the caller's next read sees the change. */
export const SETTLING_MS = 5_000

/** @returns the result of a command, after that wait */
export const settled = async <Result extends { checkpoint: string | null }>(
  { readModels }: Pick<ApiParts, 'readModels'>,
  command: Result | Promise<Result>,
): Promise<Result> => {
  const result = await command
  if (result.checkpoint !== null) await readModels.passed(result.checkpoint, SETTLING_MS)
  return result
}

/** Changes the account of the caller. @returns the changed account, after that wait */
export const changeOwnAccount = async (
  parts: Pick<ApiParts, 'accounts' | 'clock' | 'readModels'>,
  context: ApiContext,
  decide: (account: Account, at: Date) => readonly AccountEvent[],
): Promise<Account> => {
  const occasion = occasionOf(context, parts.clock)
  const changed = parts.accounts.change(occasion, (account) => decide(account, occasion.at))
  return (await settled(parts, changed)).account
}
