// Tests: tests/integration/projections/projector.test.ts
/**
 * Applies events to the tables of one schema. Each batch and its checkpoint are written in one transaction. If the database refuses the
 * data of a batch, the batch is applied in halves, down to the event that it refuses. That event parks its stream (`parking.ts`).
 */
import { decidedAt, type StoredEvent } from '../../domain/parse-event.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import type { Resolutions } from '../../domain/parked/resolutions.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { readResolutions } from '../../workflows/parked/store-with-skips.ts'
import { lastPositionIn, storePositionOf, type StorePosition } from '../../workflows/support/store-position.ts'
import { moveOn, stay } from './checkpoint.ts'
import { statementsOf, type Definition, type Statement } from './definition.ts'
import { Fold } from './fold.ts'
import type { ParkedStream } from './parked-table.ts'
import { parkingStatements, nameOf, planOf, refusedBecause, type Cause, type Plan } from './parking.ts'
import { isLeft, partOf } from './remaining.ts'
import type { ReadModelTables } from './tables.ts'
import { SqlWriter, versionOf, type SqlStatement } from './sql.ts'

/** Another process has moved the checkpoint. */
export class Overtaken extends Error {
  override name = 'Overtaken'
  constructor() {
    super('another process has moved the checkpoint of these read models')
  }
}

/** A failure of one of our own handlers, whatever its error looks like. Waiting does not make it go away. */
class HandlerFailed extends Error {
  override name = 'HandlerFailed'
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
  }
}

export interface ApplierOptions {
  store: Pick<EventStore, 'read' | 'isAfter'>
  tables: ReadModelTables
  definition: Definition
  schema: string
  /** The last event applied. */
  anchor: StorePosition | null
  /** A stream was parked, at this event. */
  onParked?: (parked: ParkedStream) => void
}

export class Applier {
  readonly #options: ApplierOptions
  readonly #version: string
  readonly #writer: SqlWriter
  readonly #refused = new Map<string, Cause>()
  #known: Promise<{ parked: Map<string, ParkedStream>; resolutions: Resolutions }> | null = null
  #anchor: StorePosition | null
  /** Whether work is left; null if that is not known. */
  #isLeft: boolean | null = null

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#version = versionOf(options.definition)
    this.#writer = new SqlWriter(options.schema)
    this.#anchor = options.anchor
  }

  /** The last event applied. */
  get anchor(): StorePosition | null {
    return this.#anchor
  }

  /**
   * Applies a batch. Events of parked streams wait.
   * @param passed  how far the store has been read, this batch included
   * @throws {Overtaken} · {StoreUnavailable} · any error of the database that the data of one event does not explain
   */
  async apply(events: readonly StoredEvent[], passed: Checkpoint): Promise<void> {
    const isDecision = ({ stream }: StoredEvent): boolean => stream === PARKED_STREAM
    const decision = events.findIndex((event, index) => index > 0 && isDecision(event))
    if (decision > 0) return this.#applyFrom(decision, events, passed)
    // Events that waited for a decision are older than events whose work may be left.
    if (events[0] && isDecision(events[0])) await this.finish()
    const last = lastPositionIn(events)
    const to = last ? storePositionOf(last) : this.#anchor
    const { parked, resolutions } = await this.#parking()
    const { store, definition, tables, onParked } = this.#options
    const { projector } = definition
    const plan = await planOf(events, { store, projector, parked, resolutions, refused: this.#refused })
    try {
      const claim = this.#claim(to, passed, events)
      if (!(await tables.commit(claim, this.#handled(plan)))) throw new Overtaken()
    } catch (error) {
      if (!this.#isRefusal(error) || plan.events.length === 0) throw error
      if (events.length > 1) return this.#applyFrom(events.length >> 1, events, passed)
      const refused = await this.#firstRefused(plan.events)
      this.#refused.set(nameOf(refused.event), refusedBecause(reasonOf(refused.error)))
      return this.apply(events, passed)
    }
    this.#anchor = to
    for (const [stream, row] of plan.changes) {
      if (row) parked.set(stream, row)
      else parked.delete(stream)
      if (row) onParked?.(row)
    }
  }

  /** Whether batches have left work behind. */
  async isLeft(): Promise<boolean> {
    const { tables, definition, schema } = this.#options
    return (this.#isLeft ??= await isLeft(tables, definition, schema))
  }

  /** Does a part of it. @throws {Overtaken} · as `apply` */
  async part(): Promise<void> {
    const { tables, definition, schema } = this.#options
    const claim = stay(schema, { projector: definition.projector, version: this.#version }, this.#anchor)
    if (!(await tables.commit(claim, [partOf(definition, schema)]))) throw new Overtaken()
    this.#isLeft = null
  }

  /** Does all of it. @throws {Overtaken} · as `apply` */
  async finish(): Promise<void> {
    while (await this.isLeft()) await this.part()
  }

  /** The statements that events result in. */
  statements(events: readonly StoredEvent[], changes: Plan['changes'] = new Map()): SqlStatement[] {
    const { definition } = this.#options
    const fold = new Fold()
    for (const event of events) fold.add(event.stream, statementsOf(definition, event))
    const parking: Statement[] = parkingStatements(changes)
    fold.add('', parking)
    const folded = fold.changes()
    if (folded.some((change) => change.kind === 'perform' && change.operation.leavesWork)) this.#isLeft = null
    return folded.map((change) => this.#writer.write(change))
  }

  /** Applies the events before an index, and then those from there on. */
  async #applyFrom(index: number, events: readonly StoredEvent[], passed: Checkpoint): Promise<void> {
    const before = events.slice(0, index)
    await this.apply(before, before.at(-1)!.checkpoint)
    return this.apply(events.slice(index), passed)
  }

  /** The first event that makes the database refuse the events up to it. There are several if they waited for a decision. */
  async #firstRefused(events: readonly KnownEvent[]): Promise<{ event: KnownEvent; error: unknown }> {
    let good = 0
    let bad = events.length
    let error = await this.#refusalOf(events)
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      const refusal = await this.#refusalOf(events.slice(0, middle))
      if (refusal === null) good = middle
      else [bad, error] = [middle, refusal]
    }
    return { event: events[bad - 1]!, error }
  }

  /** Tries the events without keeping anything. @returns null if the database accepts them */
  async #refusalOf(events: readonly KnownEvent[]): Promise<unknown> {
    try {
      await this.#options.tables.attempt(this.#handled({ events, changes: new Map() }))
      return null
    } catch (error) {
      if (this.#isRefusal(error)) return error
      throw error
    }
  }

  #handled({ events, changes }: Plan): SqlStatement[] {
    try {
      return this.statements(events, changes)
    } catch (error) {
      throw new HandlerFailed(error)
    }
  }

  #isRefusal(error: unknown): boolean {
    return error instanceof HandlerFailed || this.#options.tables.isRefusal(error)
  }

  #claim(to: StorePosition | null, passed: Checkpoint, events: readonly StoredEvent[]): SqlStatement {
    const { definition, schema } = this.#options
    const at = events.reduce<string | null>((newest, event) => decidedAt(event) ?? newest, null)
    return moveOn(schema, { projector: definition.projector, version: this.#version }, this.#anchor, to, { passed, at })
  }

  /** The parked streams, and the operator's decisions, as they are when this applier starts. An applier is not used again after a failure. */
  #parking() {
    return (this.#known ??= this.#load())
  }

  async #load() {
    const { tables, schema, store } = this.#options
    const [rows, resolutions] = await Promise.all([
      tables.query<ParkedStream>(`SELECT * FROM ${schema}.parked`),
      readResolutions(store),
    ])
    return { parked: new Map(rows.map((row) => [row.stream, row])), resolutions }
  }
}

/** Without the server's message, which may quote personal data. */
const reasonOf = (error: unknown): string => {
  if (error instanceof HandlerFailed) return 'no projection can apply it'
  const { code } = error as { code?: string }
  return `the database refuses its data (SQLSTATE ${code ?? 'unknown'})`
}
