// Tests: tests/integration/eventstoredb/shared-server.test.ts
/**
 * The position of the newest event of this installation. On a shared server, millions of events of others may follow it, and
 * the server cannot search backwards for it. So if it is not among the newest events, an event is appended to a stream of the
 * adapter: its position comes after all earlier events, and every subscription passes it at once.
 */
import { randomUUID } from 'node:crypto'
import { BACKWARDS, END, jsonEvent, StreamNotFoundError, type Position } from '@eventstore/db-client'
import type { Connection } from './connection.ts'
import { setMetadata } from './metadata.ts'
import { NoAnswer } from './outage.ts'
import type { Names } from './stream-names.ts'
import type { Answered, Reading } from './reading.ts'
import { START_POSITION } from './position.ts'
import { Source } from './source.ts'

/** The number of events among which the newest one is searched. */
const NEWEST = 64

export class End {
  readonly #connection: Connection
  readonly #names: Names
  readonly #answered: Answered
  readonly #reading: Reading
  readonly #marks: string
  #isEmpty = true

  constructor(connection: Connection, names: Names, answered: Answered, reading: Reading) {
    this.#connection = connection
    this.#names = names
    this.#answered = answered
    this.#reading = reading
    this.#marks = names.internal('end')
  }

  /** Null if the installation has no events. */
  async position(): Promise<Position | null> {
    const page = await this.#answered(() => this.#reading.newest(NEWEST))
    const newest = page.find((event) => this.#names.of(event) !== null || this.#names.isInternal(event))
    if (newest) return newest.position
    if (page.length < NEWEST || !(await this.#hasEvents())) return null
    return this.#answered(() => this.#mark())
  }

  /** Only the first call of a process asks the server, and only an installation without marks makes it search. */
  async #hasEvents(): Promise<boolean> {
    if (this.#isEmpty)
      this.#isEmpty = !((await this.#answered(() => this.#isMarked())) || (await this.#answered(() => this.#search())))
    return !this.#isEmpty
  }

  async #isMarked(): Promise<boolean> {
    try {
      return await this.#connection.call(async ({ client, checkWhole }) => {
        let found = false
        const newest = { direction: BACKWARDS, fromRevision: END, maxCount: 1, requiresLeader: true } as const
        for await (const { event } of client.readStream(this.#marks, newest)) found ||= event !== undefined
        checkWhole()
        return found
      })
    } catch (error) {
      if (error instanceof StreamNotFoundError) return false
      throw error
    }
  }

  /** Searches forwards for the first event. The server passes over the events of others. */
  #search(): Promise<boolean> {
    const found = new AbortController()
    return this.#connection.call(async (attempt) => {
      const source = new Source(attempt.client, this.#names, START_POSITION, (event) => event)
      attempt.onGivenUp = () => found.abort()
      try {
        while (!found.signal.aborted) {
          const { events, live } = source.take(1, () => true)
          if (events.length > 0) return true
          if (live) return false
          if (source.failure) throw source.failure.error
          await source.moved(Infinity, found.signal)
          attempt.received()
        }
        throw new NoAnswer('the search was given up')
      } finally {
        source.close()
      }
    })
  }

  async #mark(): Promise<Position> {
    const mark = jsonEvent({ id: randomUUID(), type: 'EndMarked', data: {} })
    const { nextExpectedRevision, position } = await this.#connection.call(({ client }) =>
      client.appendToStream(this.#marks, mark, { requiresLeader: true }),
    )
    if (nextExpectedRevision === 0n)
      await setMetadata(this.#connection, this.#answered, this.#marks, { $maxCount: 1 }, true)
    return position!
  }
}
