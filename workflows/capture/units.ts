// Tests: tests/integration/capture/capture.test.ts
/**
 * The events that the decisions of a group store: one unit per event, for all its notifications in the group. The
 * streams of a unit are stored in the order in which they are written here, each after the previous one.
 */
import { isEventOf } from '../../domain/catalogue.ts'
import type { Fact, Metadata, NewEvent } from '../../domain/event.ts'
import type { Taken } from '../../domain/arrival/arrival.ts'
import type { StreamAppend, Unit } from '../../domain/ports.ts'
import { transactionEvents, type TransactionEventData } from '../../domain/transaction/events.ts'
import { metadataOf, stampWith } from '../support/stamp.ts'
import type { WarmWindow } from './warm-windows.ts'
import type { Job } from './job.ts'

export type Outcome = 'new' | 'copy' | 'resend' | 'finished' | 'ignored' | 'unread' | 'unauthorized'

/** A notification's answer. It is given after its unit is stored. */
export interface Answer {
  job: Job
  taken: Taken
  outcome: Outcome
}

/** Everything that is stored together. */
export interface DraftUnit {
  /** The deduplication window that it adds to; null if it adds no entries. */
  warm: WarmWindow | null
  entries: NewEvent[]
  others: Map<string, { expectedRevision: number; events: NewEvent[] }>
  answers: Answer[]
}

export class Units {
  readonly all: DraftUnit[] = []
  readonly #at: Date
  readonly #byKey = new Map<string, DraftUnit>()
  #metadata: Metadata | null = null

  constructor(at: Date) {
    this.#at = at
  }

  open(warm: WarmWindow | null): DraftUnit {
    const unit: DraftUnit = { warm, entries: [], others: new Map(), answers: [] }
    this.all.push(unit)
    return unit
  }

  /** The unit that was joined under this key, or a new one. */
  of(key: string, warm: WarmWindow | null): DraftUnit {
    const present = this.#byKey.get(key)
    if (present) return present
    const unit = this.open(warm)
    this.join(key, unit)
    return unit
  }

  /** From now on, `of` finds the unit under this key too. */
  join(key: string, unit: DraftUnit): void {
    this.#byKey.set(key, unit)
  }

  /** Adds entries to the unit's deduplication window. */
  enter(unit: DraftUnit, job: Job, facts: readonly Fact[]): void {
    unit.entries.push(...this.#stamped(job, facts, job.userId))
  }

  write(unit: DraftUnit, stream: string, expectedRevision: number, job: Job, facts: readonly Fact[]): void {
    const events = this.#stamped(job, facts, job.userId)
    const present = unit.others.get(stream)
    if (present) present.events.push(...events)
    else unit.others.set(stream, { expectedRevision, events })
  }

  /** Writes before all other streams except the window's, and on behalf of a user. */
  writeFirst(
    unit: DraftUnit,
    stream: string,
    expectedRevision: number,
    job: Job,
    facts: readonly Fact[],
    userId: number,
  ): void {
    const events = this.#stamped(job, facts, userId)
    unit.others = new Map([[stream, { expectedRevision, events }], ...unit.others])
  }

  /**
   * The units in the form of the store. Units of one window have consecutive revisions.
   * @param unwritten  streams that a unit gets no event for, and that must not have changed
   */
  appends(unwritten: (unit: DraftUnit) => readonly StreamAppend[] = () => []): Unit[] {
    const revisions = new Map<WarmWindow, number>()
    return this.all.map((drafted) => {
      const { warm, entries, others } = drafted
      const unit: StreamAppend[] = [...unwritten(drafted)]
      if (warm && entries.length > 0) {
        const expectedRevision = revisions.get(warm) ?? warm.revision
        revisions.set(warm, expectedRevision + entries.length)
        unit.push({ stream: warm.stream, expectedRevision, events: entries })
      }
      for (const [stream, { expectedRevision, events }] of others) unit.push({ stream, expectedRevision, events })
      return unit
    })
  }

  /** All events of a job have the same metadata, except events of another user. */
  #stamped({ correlationId }: Job, facts: readonly Fact[], userId: number): NewEvent[] {
    if (this.#metadata?.correlation_id !== correlationId || this.#metadata.user_id !== userId)
      this.#metadata = metadataOf({
        user_id: userId,
        at: this.#at,
        correlation_id: correlationId,
        causation_id: correlationId,
      })
    return stampWith(facts, this.#metadata)
  }
}

type Captured = TransactionEventData['TransactionCaptured']

const CAPTURED = { TransactionCaptured: transactionEvents.TransactionCaptured }

/** The new transactions among units in the form of the store. */
export const capturedIn = (units: readonly (readonly StreamAppend[])[]): Captured[] =>
  units.flatMap((unit) =>
    unit.flatMap(({ events }) => events.flatMap((event) => (isEventOf(CAPTURED, event) ? [event.data] : []))),
  )
