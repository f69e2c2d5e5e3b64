// Tests: tests/integration/projections/projector.test.ts
/** Applies events to the tables of one schema. Each batch and its checkpoint are written in one transaction. */
import { asStored, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import { anchorOf, moveOn, type Anchor } from './checkpoint.ts'
import { statementsOf, type Definition } from './definition.ts'
import { Fold } from './fold.ts'
import type { ReadModelTables } from './tables.ts'
import { SqlWriter, versionOf, type SqlStatement } from './sql.ts'

/** An event that cannot be applied. It is never skipped. */
export class Poison extends Error {
  override name = 'Poison'
  readonly event: { id: string; stream: string; revision: number; type: string }
  constructor(stored: StoredEvent, cause: unknown) {
    const { id, stream, revision, type } = asStored(stored)
    super(`${type} at ${stream}@${revision} cannot be applied: ${(cause as Error).message}`, { cause })
    this.event = { id, stream, revision, type }
  }
}

/** Another process has moved the checkpoint. */
export class Overtaken extends Error {
  override name = 'Overtaken'
  constructor() {
    super('another process has moved the checkpoint of these read models')
  }
}

/** A failure of one of our own handlers, whatever its error looks like. Waiting does not make it go away. */
class Refusal extends Error {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
  }
}

export class Applier {
  readonly #tables: ReadModelTables
  readonly #definition: Definition
  readonly #schema: string
  readonly #version: string
  readonly #writer: SqlWriter
  #anchor: Anchor | null

  constructor(tables: ReadModelTables, definition: Definition, schema: string, anchor: Anchor | null) {
    this.#tables = tables
    this.#definition = definition
    this.#schema = schema
    this.#version = versionOf(definition)
    this.#writer = new SqlWriter(schema)
    this.#anchor = anchor
  }

  /** The last event applied. */
  get anchor(): Anchor | null {
    return this.#anchor
  }

  /**
   * Applies a batch. If the database refuses its statements, the batch is applied in halves. So every event before the
   * one that cannot be applied is written, and the error names that one.
   * @param passed  how far the store has been read, this batch included
   * @throws {Overtaken} {Poison} · any error of the database while it is unavailable
   */
  async apply(events: readonly StoredEvent[], passed: Checkpoint): Promise<void> {
    const last = events.at(-1)
    const to = last ? anchorOf(last) : this.#anchor
    try {
      const statements = this.#refusable(() => this.statements(events))
      if (!(await this.#tables.commit(this.#claim(to, passed, last), statements))) throw new Overtaken()
    } catch (error) {
      if (error instanceof Overtaken || !last || this.#isAway(error)) throw error
      if (events.length === 1) throw new Poison(last, error instanceof Refusal ? error.cause : error)
      const half = events.slice(0, events.length >> 1)
      await this.apply(half, half.at(-1)!.checkpoint)
      return this.apply(events.slice(half.length), passed)
    }
    this.#anchor = to
  }

  #claim(to: Anchor | null, passed: Checkpoint, last: StoredEvent | undefined): SqlStatement {
    const { projector } = this.#definition
    const at = last?.metadata.at ?? null
    return moveOn(this.#schema, { projector, version: this.#version }, this.#anchor, to, { passed, at })
  }

  #isAway(error: unknown): boolean {
    return !(error instanceof Refusal) && this.#tables.isAway(error)
  }

  #refusable<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw new Refusal(error)
    }
  }

  /** The statements that a batch amounts to. */
  statements(events: readonly StoredEvent[]): SqlStatement[] {
    const fold = new Fold()
    for (const event of events) fold.add(event.stream, statementsOf(this.#definition, event))
    return fold.changes().map((change) => this.#writer.write(change))
  }
}
