/** What the API is made of: given by the composition root, nothing is opened here. */
import type { Registry } from 'prom-client'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import type { Clock, EventStore, Ids, Passwords, ReadModels, Sender, Vault } from '../../domain/ports.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import type { MailServer } from '../../workflows/mail-ingest/mailbox.ts'
import type { Feed } from '../../workflows/live/feed.ts'
import type { LogLines } from '../telemetry/log-lines.ts'
import type { Conducts } from '../postgres/ops/usage.ts'
import type { InboxCalls } from '../inbox/calls.ts'
import type { Inboxes } from '../inbox/inboxes.ts'
import type { Outbox } from '../mail-out/outbox.ts'
import type { Queryable } from '../database/database.ts'
import type { Part } from './resources/health.ts'
import type { CounterFor, RateLimits } from './middleware/rate-limits.ts'

export interface ApiParts {
  store: EventStore
  accounts: Accounts
  ids: Ids
  clock: Clock
  vault: Vault
  passwords: Passwords
  /** Where the read models are. */
  database: Queryable
  readModels: ReadModels
  capture: { take(arrivals: readonly Arrival[]): Promise<Taken[]> }
  /** For test calls. */
  sender: Sender
  /** For trying mail accounts out. */
  mailServer: MailServer
  /** Why a url cannot be a rule's, in words that go on from "The URL …"; null when it can. */
  urlProblem: (url: string) => string | null
  outbox: Outbox
  /** Endpoints of our own, and what they were sent. */
  inboxes: Inboxes
  inboxCalls: InboxCalls
  /** What happens, live. */
  feed: Feed
  /** How accounts call, for the lock on abuse. */
  conducts: Pick<Conducts, 'enter' | 'leave'>
  /** Where calls are counted: exactly, and for receiving without asking anybody. */
  counters: { exact: CounterFor; hot: CounterFor }
  log: LogLines
  metrics: Registry
  /** What must answer for `/readyz` to say so. */
  readiness: readonly Part[]
  settings: {
    /** Without a slash at its end. */
    baseUrl: string
    jwtSecret: string
    rateLimits: 'off' | RateLimits
    /** Requests in an hour that lock an account when exceeded. */
    abusePerHour: number
    /** Reverse proxies in front whose X-Forwarded-For counts. */
    trustProxy: number
    planPrefix: string
    planBank?: string | undefined
    planAccount?: string | undefined
    planHolder?: string | undefined
    /** Seconds: what is read later than that sends nothing. */
    reparseMaxAge: number
    /** Where health and numbers are instead of here. */
    metricsPort?: number | undefined
    /** Opens the numbers. */
    metricsToken?: string | undefined
  }
}

/** The next read of who gave a command sees it: its answer waits, but not for ever. */
const SETTLING_MS = 5_000

export const settled = async (
  { readModels }: Pick<ApiParts, 'readModels'>,
  { checkpoint }: { checkpoint: string | null },
): Promise<void> => {
  if (checkpoint !== null) await readModels.passed(checkpoint, SETTLING_MS)
}
