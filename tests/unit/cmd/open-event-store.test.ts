import { expect } from 'chai'
import type { LogLines } from '../../../adapters/log-lines.ts'
import type { Queryable } from '../../../adapters/postgres/database.ts'
import { expiry, refuseToBeginAnew, untilStoreAnswers } from '../../../cmd/open-event-store.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { EventStore } from '../../../domain/ports.ts'

const storeOf = (end: () => Promise<string | null>) => ({ end, expire: async () => 0 }) as unknown as EventStore

const linesInto = (told: object[]) => ({ warn: (fields: object) => void told.push(fields) }) as unknown as LogLines

describe('the event store that the settings name', () => {
  const OPEN = new AbortController().signal

  it('has its hidden events removed all day by Postgres, once a day by EventStoreDB, at a time in Vietnam', () => {
    const store = storeOf(async () => null)
    const eventStoreUrl = 'esdb://localhost:2113'
    expect(expiry({ eventStoreUrl: undefined, scavengeAt: '03:30' }, store).at).to.equal('*/10 * * * *')
    expect(expiry({ eventStoreUrl, scavengeAt: '03:30' }, store).at).to.equal('30 20 * * *')
    expect(expiry({ eventStoreUrl, scavengeAt: '07:05' }, store).at).to.equal('5 0 * * *')
  })

  it('is refused where it is empty and the events are in Postgres', async () => {
    const [empty, used] = [storeOf(async () => null), storeOf(async () => '7/7')]
    const postgresAt = (position: number) => ({ query: async () => [{ position }] }) as unknown as Queryable
    const given = { eventStoreUrl: 'esdb://localhost:2113', eventStorePrefix: 'baoco.' }
    const failure = (settings: Parameters<typeof refuseToBeginAnew>[0], store: EventStore, position: number) =>
      refuseToBeginAnew(settings, store, postgresAt(position)).catch((error: Error) => error.message)
    expect(await failure(given, empty, 3)).to.include('EVENTSTORE_URL')
    expect(await failure(given, used, 3)).to.equal(undefined)
    expect(await failure(given, empty, 0)).to.equal(undefined)
    expect(await failure({ ...given, eventStoreUrl: undefined }, empty, 3)).to.equal(undefined)
  })

  it('is waited for while it is away, and named', async () => {
    const told: object[] = []
    let asked = 0
    const store = storeOf(async () => {
      if (++asked < 3) throw new StoreUnavailable('away', { cause: new Error('refused') })
      return null
    })
    await untilStoreAnswers(store, linesInto(told), OPEN)
    expect(told).to.deep.include({ waiting_for: 'event_store', reason: 'refused' })
  })

  it('is not waited for where it refuses, nor when the start is to stop', async () => {
    const refusing = storeOf(() => Promise.reject(new Error('access denied')))
    const away = storeOf(() => Promise.reject(new StoreUnavailable('away')))
    const failure = (store: EventStore, stopping: AbortSignal) =>
      untilStoreAnswers(store, linesInto([]), stopping).catch((error: Error) => error.message)
    expect(await failure(refusing, OPEN)).to.equal('access denied')
    expect(await failure(away, AbortSignal.abort())).to.include('event store')
  })
})
