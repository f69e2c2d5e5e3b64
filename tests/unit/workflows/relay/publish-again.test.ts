/** Which events are published again. `tests/integration/kafka/again.test.ts` has the rest, with a broker. */
import { expect } from 'chai'
import { parseEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import type { Batch, EventStore } from '../../../../domain/ports.ts'
import { positionBefore, publishAgain } from '../../../../workflows/relay/publish-again.ts'
import { storePositionOf, type StorePosition } from '../../../../workflows/support/store-position.ts'
import { errorOf } from '../../../harness/outcomes.ts'

const storedAt = (stream: string, checkpoint: string) => ({
  id: `event ${checkpoint}`,
  stream,
  revision: 0,
  checkpoint,
})

/** The first event of the store, and one event of each of five transactions, a minute apart. */
const events = Array.from({ length: 6 }, (_, minute): StoredEvent => ({
  ...storedAt(minute === 0 ? 'installation' : `transaction-${minute}`, String(minute)),
  type: 'DeliveryEnded',
  data: { transaction_id: minute, rule_id: 1, reason: 'gone' },
  metadata: {
    user_id: 1,
    at: `2026-11-29T00:0${minute}:00.000Z`,
    correlation_id: '',
    causation_id: '',
    version: 1,
  },
}))
const minute = (number: number): Date => new Date(`2026-11-29T00:0${number}:00.000Z`)

/** Stands for a stream that an operator deleted on the server. */
const tombstone = parseEvent({
  ...storedAt('transaction-9', '9'),
  type: '$streamDeleted',
  data: {},
  metadata: undefined as never,
})

const store = {
  read: ([{ stream }]: [{ stream: string }]) =>
    Promise.resolve([[...events, tombstone].filter((each) => each.stream === stream)]),
  readAll: () => Promise.resolve(events.slice(0, 1)),
  isAfter: (a: string, b: string) => Number(a) > Number(b),
  subscribe: async function* () {
    yield await Promise.resolve<Batch>({ events: events.slice(1), checkpoint: '5', live: true })
    throw new Error('it waits for new events')
  },
} as unknown as EventStore

const never = new AbortController().signal

/** @param last  the position up to which the relay has published */
const past = (last: StorePosition | null, from: Date) => ({ store, checkpoint: { load: async () => last }, from })

const publishedAgain = async (last: StorePosition | null, from: Date): Promise<string[]> => {
  const published: string[] = []
  const publisher = {
    publish: async (some: readonly StoredEvent[]) => void published.push(...some.map(({ id }) => id)),
    close: async () => {},
  }
  await publishAgain({ ...past(last, from), publisher, log: { warn: () => {} } }, never)
  return published
}

describe('past events that are published again', () => {
  it('begin at the given time, and end where the relay stands', async () => {
    expect(await publishedAgain(storePositionOf(events[4]!), minute(3))).to.deep.equal(['event 3', 'event 4'])
  })

  it('have the relay begin after the last event before that time', async () => {
    const before = await positionBefore(past(storePositionOf(events[4]!), minute(3)), never)
    expect(before.event_id).to.equal('event 2')
    const first = await positionBefore(past(storePositionOf(events[4]!), minute(0)), never)
    expect(first.event_id, 'no event of a transaction is older').to.equal('event 0')
  })

  it('end with the store if the event at which the relay stands was deleted there', async () => {
    expect(await publishedAgain(storePositionOf(tombstone), minute(4))).to.deep.equal(['event 4', 'event 5'])
  })

  it('are none if the relay has not published an event of that time', async () => {
    expect(await publishedAgain(storePositionOf(events[2]!), minute(3))).to.deep.equal([])
    const none = await errorOf(positionBefore(past(storePositionOf(events[2]!), minute(3)), never))
    expect(none?.message).to.equal('no event of this time has been published')
  })

  it('are refused if the relay stands at an event that the store does not have', async () => {
    const elsewhere = { ...storePositionOf(events[4]!), event_id: 'of another store' }
    for (const last of [null, elsewhere])
      expect((await errorOf(publishedAgain(last, minute(3))))?.message).to.include('has not published events')
  })
})
