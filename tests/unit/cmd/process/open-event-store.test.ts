import { expect } from 'chai'
import { expiry, untilStoreAnswers } from '../../../../cmd/process/open-event-store.ts'
import { StoreUnavailable } from '../../../../domain/errors.ts'
import type { EventStore, LogLines } from '../../../../domain/ports.ts'

const storeOf = (read: () => Promise<[]>) => ({ read, expire: async () => 0 }) as unknown as EventStore

const linesInto = (logged: object[]) => ({ warn: (fields: object) => void logged.push(fields) }) as unknown as LogLines

describe('the configured event store', () => {
  const OPEN = new AbortController().signal

  it('removes hidden events every ten minutes in Postgres, and once a day at a Vietnamese time in EventStoreDB', () => {
    const memory = { lastBegun: async () => null, begins: async () => {} }
    const parts = { store: storeOf(async () => []), memory, clock: { now: () => new Date() } }
    const at = (eventStoreUrl: string | undefined, scavengeAt: string) =>
      expiry({ eventStoreUrl, scavengeAt }, parts).map((job) => job.at)
    const eventStoreUrl = 'esdb://localhost:2113'
    // The second job looks for a missed one.
    expect(at(undefined, '03:30')).to.deep.equal(['*/10 * * * *'])
    expect(at(eventStoreUrl, '03:30')).to.deep.equal(['30 20 * * *', '52 * * * *'])
    expect(at(eventStoreUrl, '07:05')).to.deep.equal(['5 0 * * *', '52 * * * *'])
  })

  it('delays the start while it is unavailable, and is named in the log', async () => {
    const logged: object[] = []
    let asked = 0
    const store = storeOf(async () => {
      if (++asked < 3) throw new StoreUnavailable('away', { cause: new Error('refused') })
      return []
    })
    await untilStoreAnswers(store, linesInto(logged), OPEN)
    expect(logged).to.deep.include({ waiting_for: 'event_store', reason: 'refused' })
  })

  it('does not delay the start if it refuses access or the start is stopped', async () => {
    const refusing = storeOf(() => Promise.reject(new Error('access denied')))
    const away = storeOf(() => Promise.reject(new StoreUnavailable('away')))
    const failure = (store: EventStore, stopping: AbortSignal) =>
      untilStoreAnswers(store, linesInto([]), stopping).catch((error: Error) => error.message)
    expect(await failure(refusing, OPEN)).to.equal('access denied')
    expect(await failure(away, AbortSignal.abort())).to.include('event store')
  })
})
