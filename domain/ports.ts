/** What the inside asks of the outside. Adapters implement these; one contract suite per port runs against each of them. */
import type { NewEvent, RecordedEvent } from './event.ts'
import type { StoredEvent } from './parse-event.ts'

// --- event store ---------------------------------------------------------------------------------------------------

/** A place among all events; opaque, compared only by `EventStore.isAfter`. */
export type Checkpoint = string

/** Revision a stream must have for an append: that of its last event, or `NO_STREAM` where nothing was ever written. */
export type Expected = number
export const NO_STREAM: Expected = -1

export interface StreamAppend {
  stream: string
  expectedRevision: Expected
  events: readonly NewEvent[]
}

/**
 * A unit is answered by itself. It is atomic where the store can; elsewhere each stream waits only for the one before it
 * in its unit. Units of one call go side by side; where several of them write to one stream, their expectations follow on
 * from each other in the order given, and when one fails those that build on it fail too.
 */
export type Unit = readonly StreamAppend[]

export type UnitResult =
  | { ok: true; /** of the unit's last event */ checkpoint: Checkpoint }
  | {
      ok: false
      conflict: { stream: string; /** the stream's present revision, NO_STREAM where it is new */ revision: number }
    }

/** A piece of one stream: forwards from a revision on, or backwards from the newest. */
export interface Slice {
  stream: string
  /** First revision wanted (forwards only); default 0. */
  from?: number
  backwards?: boolean
  /** At most so many events; default all. */
  limit?: number
}

export interface Batch<Event extends RecordedEvent = StoredEvent> {
  events: readonly Event[]
  /** Where to go on after this batch: of its last event, or further where the events between were of other streams. */
  checkpoint: Checkpoint
  /** True once the past has been read and this batch reaches the present. */
  live: boolean
}

/** @typeParam Event  what reads return: by default events that `parseEvent` has parsed */
export interface EventStore<Event extends RecordedEvent = StoredEvent> {
  /** Whether units of one call are stored in the order given; elsewhere only those that write to one stream are. */
  readonly keepsOrder: boolean
  /**
   * Appends units; the answers stand in the order of the units. The same event ids again at the same place are a success.
   * An unknown outcome (lost connection, timeout) is tried again inside with the same ids and expectations.
   * @throws {StoreUnavailable} when the outcome could not be learnt in time: the caller may send the same again
   */
  append(units: readonly Unit[]): Promise<UnitResult[]>
  /** Reads slices in one round trip; a stream that does not exist, or whose events have all expired, is empty. */
  read(slices: readonly Slice[]): Promise<Event[][]>
  /** Events of all streams in order, after a checkpoint (null: from the start). */
  readAll(after: Checkpoint | null, limit: number): Promise<Event[]>
  /**
   * Catch-up, then live, in batches, without gap or repeat; survives a server that goes away and comes back.
   * Ends when the signal aborts.
   */
  subscribe(options: {
    after: Checkpoint | null
    /** Stream name prefixes; none given: all streams. */
    prefixes?: readonly string[]
    signal: AbortSignal
    /** Most events a batch may hold. */
    maxBatch?: number
  }): AsyncIterable<Batch<Event>>
  /** Place of the newest event, null in an empty store. */
  end(): Promise<Checkpoint | null>
  isAfter(a: Checkpoint, b: Checkpoint): boolean
  /** Events of streams with this prefix are hidden from `read` once older than the age (seconds); said once at start. */
  retain(prefix: string, maxAgeSeconds: number): Promise<void>
  /**
   * Removes for good what `retain` and `erase` have hidden; planned work, may be late or run twice. Answers how many events,
   * 0 where the store does not tell.
   */
  expire(): Promise<number>
  /** Hides every event of a stream but its last, which stays; they are gone for good at once, or with the next `expire`. */
  erase(stream: string): Promise<void>
  close(): Promise<void>
}

// --- the log that feeds delivery -----------------------------------------------------------------------------------

/** One event of a `transaction-` stream as the log carries it: no personal data; the consumer joins the rest. */
export interface LogEntry {
  event_id: string
  type: string
  user_id: number
  transaction_id: number
  revision: number
  at: string
  /** The store's checkpoint of the event, to wait until the read models have passed it. */
  checkpoint: Checkpoint
}

export interface Log {
  /**
   * Hands batches over, in order per user, at least once. The offset is committed after the handler resolves; a handler
   * never waits for an endpoint. Resolves when the signal aborts.
   */
  consume(group: string, handler: (entries: readonly LogEntry[]) => Promise<void>, signal: AbortSignal): Promise<void>
}

// --- small ones ----------------------------------------------------------------------------------------------------

export interface Clock {
  now(): Date
}

export interface Ids {
  /** Positive ints, unique over all processes and replays, rising within a process. */
  next(count: number): Promise<number[]>
}

/** Keeps what must be readable again (rule secrets, mailbox passwords, the personal URL). */
export interface Vault {
  seal(text: string): string
  /** @throws when the text was not sealed under a known key, or was altered */
  open(sealed: string): string
}

/**
 * Password hashing, slow on purpose and few at a time. Callers take turns: who asks for many waits behind himself, so `caller`
 * names who asks (an address).
 */
export interface Passwords {
  /** @throws {Overloaded} */
  hash(password: string, caller?: string): Promise<string>
  /**
   * Takes the same time where there is no hash to compare with (null): the answer is false then.
   * @param isKnown  the account has logged in from there before: it goes first
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
  /** 0 when there was no answer. */
  http_status: number
  /** First 4 KB of the answer, or the reason in words when there was none. */
  response_body: string
  /** null, or a class such as `dns`, `refused`, `tls`, `timeout`, `redirect`, `private_address`, `response_too_large`, `stopped`, `http_404`. */
  error: string | null
  /** Value of a `Retry-After` header in seconds from now, where the answer had one. */
  retry_after_s: number | null
  /** Milliseconds from start to the end of reading. */
  duration_ms: number
}

export interface Sender {
  /** Never throws: every failure is a result. Connect, headers and body share 10 s. An abort ends it with `stopped`. */
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
   * Resolves when the mail is safe with us; it leaves later, and is tried again for a day. What must not be lost is sent by a
   * reaction, under the id of the event that asks for it.
   * @param mail.key  the same mail, sent again under the same key within a week, is one mail
   */
  send(mail: Mail & { key?: string }): Promise<void>
}

/** Of all processes that want to do a thing, one does it. */
export interface Lease {
  /**
   * Does the work whenever this process holds the lease; its signal aborts when the lease is lost or the outer signal aborts,
   * and the work must end soon then. Work that ends or fails is begun again. Resolves when the outer signal aborts.
   */
  hold(work: (held: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>
}

export interface ReadModels {
  /** Whether the read models have passed a place in the store, waiting for it at most so long (milliseconds). */
  passed(checkpoint: Checkpoint, timeoutMs: number): Promise<boolean>
}
