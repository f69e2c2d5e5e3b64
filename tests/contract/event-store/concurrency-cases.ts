import { expect } from 'chai'
import type { RecordedEvent } from '../../../domain/event.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import {
  appendOne,
  checkpointOf,
  event,
  eventsOf,
  expectRising,
  idsOf,
  part,
  readStream,
  revisionsOf,
  streamName,
  upTo,
  type Cases,
} from './harness.ts'

/** Appends at the same time. */
const MANY = repetitions(1_000, 200)
/** Events that each of several writers appends one after another. */
const OF_EACH = repetitions(40, 12)

export const concurrencyCases: Cases = (under) => {
  it('answers each of many appends separately', async () => {
    const { store } = under()
    const answered = async () => {
      const parts = upTo(MANY).map(() => part(streamName(), NO_STREAM, eventsOf(1)))
      return { parts, results: await Promise.all(parts.map((one) => appendOne(store, [one]))) }
    }
    // A server on a busy machine may not answer all of them in time. Only then they are repeated, with other streams.
    const { parts, results } = await answered().catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error
      return eventually(answered)
    })
    expect(new Set(results.map(checkpointOf)).size).to.equal(MANY)
    const read = await store.read(parts.map(({ stream }) => ({ stream })))
    read.forEach((events, n) => {
      expect(idsOf(events)).to.deep.equal(idsOf(parts[n]!.events))
      expect(events[0]!.checkpoint).to.equal(checkpointOf(results[n]))
    })
  })

  it('loses nothing from many writers on one stream', async () => {
    const { store, another } = under()
    const stores = [store, await another()]
    const stream = streamName()
    const written: string[] = []
    const writer = async (mine: EventStore<RecordedEvent>): Promise<void> => {
      let revision = NO_STREAM
      for (let done = 0; done < OF_EACH / 2;) {
        const one = event()
        const result = await appendOne(mine, [part(stream, revision, [one])])
        if (result.ok) {
          written.push(one.id)
          revision++
          done++
        } else revision = result.conflict.revision
      }
    }
    await Promise.all(upTo(8).map((n) => writer(stores[n % 2]!)))
    const events = await readStream(store, stream)
    expect(revisionsOf(events)).to.deep.equal(upTo(8 * (OF_EACH / 2)))
    expect(idsOf(events).sort()).to.deep.equal(written.sort())
  })

  it('shows everything in order to a concurrent reader during 32 concurrent writers', async () => {
    const { store, another } = under()
    const start = await store.end()
    const stores = [store, await another(), await another(), await another()]
    const written = new Map<string, string[]>()
    let writing = true
    const writer = async (mine: EventStore<RecordedEvent>): Promise<void> => {
      const stream = streamName()
      const ids: string[] = []
      written.set(stream, ids)
      for (let revision = NO_STREAM; revision < OF_EACH;) {
        const events = eventsOf(1 + ((revision + 2) % 3))
        checkpointOf(await appendOne(mine, [part(stream, revision, events)]))
        ids.push(...idsOf(events))
        revision += events.length
      }
    }
    const reader = async (mine: EventStore<RecordedEvent>): Promise<RecordedEvent[]> => {
      const seen: RecordedEvent[] = []
      for (;;) {
        const last = !writing
        const more = await mine.readAll(seen.at(-1)?.checkpoint ?? start, 50)
        seen.push(...more)
        if (last && more.length === 0) return seen
      }
    }
    const readers = [reader(stores[0]!), reader(stores[3]!)]
    await Promise.all(upTo(32).map((n) => writer(stores[n % 4]!)))
    writing = false
    for (const seen of await Promise.all(readers)) {
      expectRising(store, seen)
      for (const [stream, ids] of written) expect(idsOf(seen.filter((one) => one.stream === stream))).to.deep.equal(ids)
    }
  })
}
