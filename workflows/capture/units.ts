/**
 * What the decisions of a group store: one unit an event, whichever of its notifications are in the group. A unit's streams
 * are stored in the order in which they are written here, each after the one before it.
 */
import type { Fact, Metadata, NewEvent } from '../../domain/event.ts'
import type { Taken } from '../../domain/arrival/arrival.ts'
import type { StreamAppend, Unit } from '../../domain/ports.ts'
import { metadataOf, stampWith } from '../support/stamp.ts'
import type { WarmBook } from './books.ts'
import type { Job } from './job.ts'

export type Outcome = 'new' | 'copy' | 'resend' | 'finished' | 'ignored' | 'unread' | 'unauthorized'

/** A notification's answer, to be given once its unit is stored. */
export interface Answer {
  job: Job
  taken: Taken
  outcome: Outcome
}

/** What is stored together. */
export interface DraftUnit {
  /** The book it adds to, and how many entries; null where it adds none. */
  warm: WarmBook | null
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

  open(warm: WarmBook | null): DraftUnit {
    const unit: DraftUnit = { warm, entries: [], others: new Map(), answers: [] }
    this.all.push(unit)
    return unit
  }

  /** The one that has joined under this key, or a new one. */
  of(key: string, warm: WarmBook | null): DraftUnit {
    const present = this.#byKey.get(key)
    if (present) return present
    const unit = this.open(warm)
    this.join(key, unit)
    return unit
  }

  join(key: string, unit: DraftUnit): void {
    this.#byKey.set(key, unit)
  }

  /** Into the unit's book. */
  enter(unit: DraftUnit, job: Job, facts: readonly Fact[]): void {
    unit.entries.push(...this.#stamped(job, facts, job.userId))
  }

  write(unit: DraftUnit, stream: string, expectedRevision: number, job: Job, facts: readonly Fact[]): void {
    const events = this.#stamped(job, facts, job.userId)
    const present = unit.others.get(stream)
    if (present) present.events.push(...events)
    else unit.others.set(stream, { expectedRevision, events })
  }

  /** Before all but the book, and on behalf of a user. */
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

  /** As the store takes them: those of one book follow on from each other. */
  appends(): Unit[] {
    const revisions = new Map<WarmBook, number>()
    return this.all.map(({ warm, entries, others }) => {
      const unit: StreamAppend[] = []
      if (warm && entries.length > 0) {
        const expectedRevision = revisions.get(warm) ?? warm.revision
        revisions.set(warm, expectedRevision + entries.length)
        unit.push({ stream: warm.stream, expectedRevision, events: entries })
      }
      for (const [stream, { expectedRevision, events }] of others) unit.push({ stream, expectedRevision, events })
      return unit
    })
  }

  /** What a job brings about has the same metadata, but for what is another user's. */
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
