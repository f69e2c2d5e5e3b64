// Tests: tests/contract/event-store/postgres.test.ts
/** The ports of the application. Adapters implement them. Each port has one contract suite that runs against all its adapters. */
import type { NewEvent, RecordedEvent } from './event.ts'
import type { StoredEvent } from './parse-event.ts'
import type { TransactionEventData } from './transaction/events.ts'

// --- event store ---------------------------------------------------------------------------------------------------

/**
 * A position among all events. Compare it only with `EventStore.isAfter`. It begins with a whole number, which is higher for a later event of
 * another stream.
 */
export type Checkpoint = string

/** Revision that a stream must have for an append: the revision of its last event, or `NO_STREAM` if nothing was ever written. */
export type Expected = number
export const NO_STREAM: Expected = -1

export interface StreamAppend {
  stream: string
  expectedRevision: Expected
  /** Empty only in a store that compares unwritten streams. */
  events: readonly NewEvent[]
}

/**
 * Each unit has its own result. A unit is atomic if the store supports it. Otherwise, each stream of the unit is written only
 * after the one before it. The units of one call run concurrently. If several of them write to one stream, their expected
 * revisions build on each other in the given order. If one of them fails, the units that build on it fail too.
 */
export type Unit = readonly StreamAppend[]

export type UnitResult =
  | { ok: true; /** of the unit's last event */ checkpoint: Checkpoint }
  | {
      ok: false
      conflict: { stream: string; /** the stream's present revision, NO_STREAM where it is new */ revision: number }
    }

/** A section of one stream: forwards from a revision, or backwards from the newest event. */
export interface Slice {
  stream: string
  /** First revision to read (forwards only). Default: 0. */
  from?: number
  backwards?: boolean
  /** The most events to read. Default: all. */
  limit?: number
}

export interface Batch<Event extends RecordedEvent = StoredEvent> {
  events: readonly Event[]
  /** Where to continue after this batch: at its last event, or further if events of other streams followed. */
  checkpoint: Checkpoint
  /** True once the past has been read and this batch reaches the present. */
  live: boolean
}

export interface EventStore<Event extends RecordedEvent = StoredEvent> {
  /** Whether the units of one call are stored in the given order. Otherwise, only units that write to the same stream are. */
  readonly keepsOrder: boolean
  /**
   * Whether a unit may begin with streams that get no event: then it is stored only if each of them is still at its expected revision.
   * A unit of one such stream only compares it.
   */
  readonly comparesUnwritten: boolean
  /**
   * Appends units. The results are in the order of the units. Appending the same event ids again at the same position succeeds.
   * After an unknown outcome (lost connection, timeout), the adapter retries with the same ids and expected revisions.
   * @throws {StoreUnavailable} if the outcome did not become known in time. The caller may append the same units again.
   */
  append(units: readonly Unit[]): Promise<UnitResult[]>
  /** Reads slices in one round trip. A stream is empty if it does not exist, or if all its events have expired. */
  read(slices: readonly Slice[]): Promise<Event[][]>
  /**
   * Events of all streams in order, after a checkpoint (null: from the start).
   * @param mostBytes  the event that reaches about this many bytes of data is the last one. Default: no limit.
   */
  readAll(after: Checkpoint | null, limit: number, mostBytes?: number): Promise<Event[]>
  /**
   * Reads past events, then live ones, in batches, without gaps or repeats. It survives a server that goes away and comes back.
   * Ends when the signal aborts.
   */
  subscribe(options: {
    after: Checkpoint | null
    /** Stream name prefixes. Default: all streams. */
    prefixes?: readonly string[]
    signal: AbortSignal
    /** The most events in one batch. */
    maxBatch?: number
  }): AsyncIterable<Batch<Event>>
  /** Position of the newest event. Null if the store is empty. */
  end(): Promise<Checkpoint | null>
  isAfter(a: Checkpoint, b: Checkpoint): boolean
  /** Hides events of streams with this prefix from `read` once they are older than the age (seconds). Called once at start. */
  retain(prefix: string, maxAgeSeconds: number): Promise<void>
  /**
   * Permanently removes what `retain` and `erase` have hidden. This is scheduled work: it may run late or twice.
   * @returns the number of removed events, or 0 if the store does not report it
   */
  expire(): Promise<number>
  /** Hides all events of a stream except the last one. They are removed permanently at once, or by the next `expire`. */
  erase(stream: string): Promise<void>
  close(): Promise<void>
}

// --- the log that feeds delivery -----------------------------------------------------------------------------------

/** One event of a `transaction-` stream as the log carries it. It has no personal data: the consumer joins the rest. */
export interface LogEntry {
  event_id: string
  type: string
  user_id: number
  transaction_id: number
  revision: number
  at: string
  /** The trace of the event. Null for a message of an older version. */
  correlation_id: string | null
  /** The event's checkpoint in the store. */
  checkpoint: Checkpoint
  /** A new transaction, if the log has the whole event. Then its deliveries need not wait for the read models. */
  captured?: {
    data: TransactionEventData['TransactionCaptured']
    /** The newest event of any account before it. Read models that have passed it know the rules. Null if there is none. */
    accountsAt: Checkpoint | null
  }
}

export interface Log {
  /**
   * Delivers batches in order per user, at least once. The offset is committed after the handler resolves. A handler never waits
   * for an endpoint. Resolves when the signal aborts.
   */
  consume(group: string, handler: (entries: readonly LogEntry[]) => Promise<void>, signal: AbortSignal): Promise<void>
}

// --- small ones ----------------------------------------------------------------------------------------------------

export interface Clock {
  now(): Date
}

/** The log of the process. It writes one wide line per event: the fields first, then the event's name (`notification.received`). */
export interface LogLines {
  debug(fields: object, what: string): void
  info(fields: object, what: string): void
  warn(fields: object, what: string): void
  error(fields: object, what: string): void
}

export interface Ids {
  /** Positive ints, unique across all processes and replays, ascending within a process. */
  next(count: number): Promise<number[]>
}

/** Encrypts secrets that must be readable again (rule secrets, mailbox passwords, the personal URL). */
export interface Vault {
  seal(text: string): string
  /** @throws if the text was not sealed with a known key, or was altered */
  open(sealed: string): string
}

/**
 * Password hashing. It is slow on purpose, and few hashes run at a time. Callers take turns, so a caller with many requests only
 * delays its own. `caller` identifies the caller (an address).
 */
export interface Passwords {
  /** @throws {Overloaded} */
  hash(password: string, caller?: string): Promise<string>
  /**
   * Takes the same time if there is no hash to compare with (null). The result is then false.
   * @param isKnown  the account has logged in from this caller before. The request then goes first.
   * @throws {Overloaded}
   */
  verify(password: string, hash: string | null, caller?: string, isKnown?: boolean): Promise<boolean>
}

/** One HTTP call to a shop's endpoint. */
export interface Call {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

export interface CallResult {
  /** 0 if there was no response. */
  http_status: number
  /** First 4 KB of the response, or the reason in words if there was none. */
  response_body: string
  /**
   * Null, or a class such as `dns`, `refused`, `tls`, `timeout`, `redirect`, `private_address`, `response_too_large`,
   * `stopped`, `http_404`.
   */
  error: string | null
  /** Value of the response's `Retry-After` header in seconds from now. Null if it had none. */
  retry_after_s: number | null
  /** Milliseconds from the start until the response is read. */
  duration_ms: number
}

export interface Sender {
  /** Never throws: every failure is a result. Connect, headers and body share 10 s. An abort ends the call with `stopped`. */
  send(call: Call, signal: AbortSignal): Promise<CallResult>
  close(): Promise<void>
}

export interface Mail {
  to: string
  /** One line. */
  subject: string
  /** Plain text. */
  text: string
}

export interface Mailer {
  /**
   * Resolves when the mail is stored durably. It is sent later, and retried for a day. A mail that must not be lost is sent by a
   * reactor, under the id of the event that requires it.
   * @param mail.key  mails with the same key within a week count as one mail
   */
  send(mail: Mail & { key?: string }): Promise<void>
}

/** Lets one of all processes that compete for some work do it. */
export interface Lease {
  /**
   * Runs the work while this process holds the lease. Its signal aborts when the lease is lost or the outer signal aborts. The work
   * must then end soon. Work that ends or fails is started again. Resolves when the outer signal aborts.
   */
  hold(work: (held: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
}

export interface ReadModels {
  /** Waits at most `timeoutMs` milliseconds until the read models have passed a position in the store. Returns whether they have. */
  passed(checkpoint: Checkpoint, timeoutMs: number): Promise<boolean>
}

/** Read models whose readers can all wait, because they are in this process. */
export interface ReadModelsHere extends ReadModels {
  /** Someone may know of an event at this position. From now on, `shown` waits for it. */
  mustShow(checkpoint: Checkpoint): void
  /** Waits at most `timeoutMs` milliseconds until the read models have passed all these positions. */
  shown(timeoutMs: number): Promise<void>
}
