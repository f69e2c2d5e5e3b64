// Tests: tests/contract/event-store/postgres.test.ts
/** One connection for one purpose. It is opened when first needed and reopened after it broke. */
import type pg from 'pg'
import type { Database } from '../../database/database.ts'
import { isOutage } from './outage.ts'

export class Connection {
  readonly #database: Database
  readonly #prepare: string
  #client: Promise<pg.Client> | null = null

  /** @param prepare  a statement that runs first on every new connection */
  constructor(database: Database, prepare: string) {
    this.#database = database
    this.#prepare = prepare
  }

  /** @param name  the name under which the statement is prepared, once per connection */
  async query(name: string, text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> {
    const opening = (this.#client ??= this.#open())
    let client: pg.Client | null = null
    try {
      client = await opening
      return (await client.query<Record<string, unknown>>({ name, text, values: [...values] })).rows
    } catch (error) {
      // After a timeout the answer may still arrive. A connection in an unknown state is not used again.
      if (!client || isOutage(error)) this.#drop(opening)
      throw error
    }
  }

  close(): void {
    if (this.#client) this.#drop(this.#client)
  }

  async #open(): Promise<pg.Client> {
    const client = await this.#database.connect()
    await client.query(this.#prepare)
    return client
  }

  #drop(opening: Promise<pg.Client>): void {
    if (this.#client === opening) this.#client = null
    opening.then((client) => client.end()).catch(() => {})
  }
}
