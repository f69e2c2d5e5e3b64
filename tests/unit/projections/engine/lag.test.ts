import { expect } from 'chai'
import { projectionLag } from '../../../../projections/engine/lag.ts'
import type { Queryable } from '../../../../projections/engine/queryable.ts'
import type { StoredEvent } from '../../../../domain/parse-event.ts'

const NOW = new Date('2026-11-27T10:00:00.000Z')
const MAIN = { schema: 'read_model', projector: 'main' }

const databaseWith = (row: { passed: string | null; updated_at: string | null }) =>
  ({ query: () => Promise.resolve([row]) }) as unknown as Queryable

/** A store whose events were decided at these times. */
const storeOf = (...times: string[]) => ({
  end: () => Promise.resolve(times.length === 0 ? null : String(times.length)),
  isAfter: (a: string, b: string) => Number(a) > Number(b),
  readAll: (after: string | null, limit: number) =>
    Promise.resolve(
      times.slice(Number(after ?? 0), Number(after ?? 0) + limit).map((at) => ({ metadata: { at } }) as StoredEvent),
    ),
})

describe('the lag of read models', () => {
  const events = ['2026-11-27T09:58:00.000Z', '2026-11-27T09:59:00.000Z']

  it('is the time since the last applied event while more events wait', async () => {
    const database = databaseWith({ passed: '1', updated_at: events[0]! })
    expect(await projectionLag(database, storeOf(...events), MAIN, NOW)).to.equal(120_000)
  })

  it('is 0, and not less, if the clock of the event was ahead', async () => {
    const database = databaseWith({ passed: '1', updated_at: '2026-11-27T10:00:01.000Z' })
    expect(await projectionLag(database, storeOf(...events), MAIN, NOW)).to.equal(0)
  })

  it('is 0 when up to date', async () => {
    const database = databaseWith({ passed: '2', updated_at: events[1]! })
    expect(await projectionLag(database, storeOf(...events), MAIN, NOW)).to.equal(0)
    const empty = databaseWith({ passed: null, updated_at: null })
    expect(await projectionLag(empty, storeOf(), MAIN, NOW)).to.equal(0)
  })

  it('is the age of the first event if none was ever applied', async () => {
    const database = databaseWith({ passed: null, updated_at: null })
    expect(await projectionLag(database, storeOf(...events), MAIN, NOW)).to.equal(120_000)
  })
})
