import type { RecordedEvent } from '../../../domain/event.ts'
import { expect } from 'chai'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import {
  appended,
  appendOne,
  checkpointOf,
  eventsOf,
  follow,
  idsOf,
  part,
  readStream,
  readToEnd,
  streamName,
  upTo,
  type Cases,
} from './harness.ts'

const WRITERS = repetitions(8, 4)
/** Appends that they must make before the fault, and after it. */
const OF_ALL = repetitions(50, 12)

/** Starts writers that continue through every fault. Each of their appends must succeed in the end. */
const startWriters = (store: EventStore<RecordedEvent>, prefix: string, count: number) => {
  const streams = new Map(upTo(count).map((n) => [`${prefix}${n}`, [] as string[]]))
  let isWriting = true
  let answered = 0
  const write = async (stream: string, ids: string[]): Promise<void> => {
    for (let revision = NO_STREAM; isWriting; revision += 2) {
      const events = eventsOf(2)
      checkpointOf(await appendOne(store, [part(stream, revision, events)]))
      ids.push(...idsOf(events))
      answered++
    }
  }
  const ended = Promise.all([...streams].map(([stream, ids]) => write(stream, ids)))
  ended.catch(() => {})
  return {
    answered: () => answered,
    /** The ids of the successful appends, by stream. */
    stop: async () => {
      isWriting = false
      await ended
      return streams
    },
  }
}

export const outageCases: Cases = (under, { canStopServer }) => {
  const survives = async (
    disturb: (store: EventStore<RecordedEvent>) => Promise<void>,
    store = under().store,
  ): Promise<void> => {
    const start = await store.end()
    const prefix = `${streamName('outage')}-`
    const writers = startWriters(store, prefix, WRITERS)
    const following = follow(store, { after: start, prefixes: [prefix] })
    const goesOn = async (): Promise<void> => {
      const before = writers.answered()
      await eventually(() => writers.answered() > before + OF_ALL)
    }
    await goesOn()
    await disturb(store)
    await goesOn()
    const written = await writers.stop()
    const everything = (await readToEnd(store, start, 1_000)).filter(({ stream }) => stream.startsWith(prefix))
    for (const [stream, ids] of written) {
      expect(idsOf(everything.filter((one) => one.stream === stream))).to.deep.equal(ids)
      expect(idsOf(await readStream(store, stream))).to.deep.equal(ids)
    }
    await eventually(() => following.events().length >= everything.length)
    await following.stop()
    expect(idsOf(following.events())).to.deep.equal(idsOf(everything))
  }

  const ofTheServer = async (): Promise<void> => {
    const { server, another } = under()
    if (!server) throw new Error('the server cannot be stopped')
    const impatient = await another({ deadlineMs: 300 })
    // A busy server takes time to write its data before it ends.
    const patient = await another({ deadlineMs: 60_000 })
    const stream = streamName()
    const unit = [part(stream, NO_STREAM)]
    await survives(async () => {
      await server.stop()
      try {
        const calls = [
          impatient.append([unit]),
          impatient.read([{ stream }]),
          impatient.end(),
          impatient.readAll(null, 1),
        ]
        const errors = await Promise.all(calls.map((call: Promise<unknown>) => call.catch((error: unknown) => error)))
        for (const error of errors) expect(error).to.be.instanceOf(StoreUnavailable)
      } finally {
        await server.start()
      }
    }, patient)
    // The refused caller repeats the same append until it succeeds. On a busy machine, 300 ms may be too little for a new connection.
    await eventually(() => appended(impatient, unit))
    expect(await readStream(impatient, stream)).to.have.length(1)
  }
  if (canStopServer) it('of the server are survived without loss or repetition', ofTheServer)

  it('of the network are survived without loss or repetition', async () => {
    const { network } = under()
    await survives(async (store) => {
      for (let cuts = 0; cuts < 5; cuts++) {
        network.cut()
        const waiting = appendOne(store, [part(streamName(), NO_STREAM)])
        network.mend()
        checkpointOf(await waiting)
      }
    })
  })

  it('of connections that go silent are survived without loss or repetition', async () => {
    const { network } = under()
    await survives(async () => network.silence())
  })

  it('that drop the answer to an append leave it stored once and answered with success', async () => {
    const { store, network, another } = under()
    const other = await another()
    for (let round = 0; round < repetitions(10, 2); round++) {
      const [alone, chained] = [streamName(), streamName()]
      const units = [[part(alone, NO_STREAM, eventsOf(2))], [part(chained, NO_STREAM)], [part(chained, 0)]]
      const lost = network.loseNextAnswer()
      const results = await store.append(units)
      await lost
      results.forEach(checkpointOf)
      expect(await store.append(units)).to.deep.equal(results)
      const read = await other.read([{ stream: alone }, { stream: chained }])
      expect(read.map((events) => events.length)).to.deep.equal([2, 2])
    }
  })
}
