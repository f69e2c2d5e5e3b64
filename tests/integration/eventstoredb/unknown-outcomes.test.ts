import { execFile } from 'node:child_process'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { Connection } from '../../../adapters/event-store/eventstoredb/connection.ts'
import { openNames } from '../../../adapters/event-store/eventstoredb/stream-names.ts'
import { isOutage } from '../../../adapters/event-store/eventstoredb/outage.ts'
import { openReading } from '../../../adapters/event-store/eventstoredb/reading.ts'
import { untilAnswered } from '../../../adapters/event-store/until-answered.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { writeForeignEvents } from '../../harness/eventstoredb/foreign-events.ts'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { bundledScript } from '../../harness/bundled-script.ts'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import {
  appended,
  appendOne,
  checkpointOf,
  eventsOf,
  idsOf,
  part,
  readStream,
  revisionsOf,
  streamName,
  upTo,
} from '../../contract/event-store/harness.ts'
import { openStandInStores, type StandInStores } from './stand-in-stores.ts'

const run = (...args: string[]) => promisify(execFile)(process.execPath, args)

/** How a process can have been built: the stack of an error differs. */
const BUILDS: Record<string, (script: string) => Promise<string[]>> = {
  'run from a bundle': async (script) => [await bundledScript(script)],
  'run from the sources': (script) => Promise.resolve(['--import', 'tsx', script]),
}

describe('an append to EventStoreDB whose outcome is unknown', () => {
  let stores: StandInStores
  beforeEach(async () => (stores = await openStandInStores()))
  afterEach(() => stores.close())

  /** Appends while the fault is active. The append must succeed and be stored once. */
  const isThereOnce = async (): Promise<void> => {
    const { store } = stores
    const [stream, other] = [streamName(), streamName()]
    const unit = [part(stream, NO_STREAM, eventsOf(2)), part(other, NO_STREAM)]
    const checkpoint = await appended(store, unit)
    expect(await appended(store, unit)).to.equal(checkpoint)
    expect(idsOf(await readStream(store, stream))).to.deep.equal(idsOf(unit[0]!.events))
    expect((await readStream(store, other)).map((event) => event.checkpoint)).to.deep.equal([checkpoint])
  }

  for (const [what, trouble] of [
    ['the answer is lost and the connection stays', 'lose_answers'],
    ['the connection breaks before it was written', 'drop_before'],
    ['the connection breaks after it was written', 'drop_after'],
    ['the server has just started', 'not_ready'],
  ] as const)
    it(`is retried if ${what}`, async () => {
      stores.standIn.troubles[trouble] = 2
      await isThereOnce()
      expect(stores.standIn.troubles[trouble]).to.equal(0)
    })

  it('is retried if the server restarts in the middle of many appends', async () => {
    const { store, standIn } = stores
    const streams = upTo(200).map(() => streamName())
    const appending = Promise.all(streams.map((stream) => appendOne(store, [part(stream, NO_STREAM)])))
    standIn.restart(300)
    ;(await appending).forEach(checkpointOf)
    const read = await store.read(streams.map((stream) => ({ stream })))
    expect(read.map((events) => events.length)).to.deep.equal(streams.map(() => 1))
  })

  for (const [how, build] of Object.entries(BUILDS)) {
    it(`survives an answer that arrives when nothing waits for it any longer, ${how}`, async () => {
      const elsewhere = await openStandInStores()
      try {
        const script = await build(fileURLToPath(new URL('late-answer.ts', import.meta.url)))
        const { stdout } = await run(...script, stores.url, elsewhere.url)
        expect(stdout).to.equal('1 event, goes on\n')
      } finally {
        await elsewhere.close()
      }
    })

    it(`survives the end of a connection with more waiting appends than it takes at once, ${how}`, async () => {
      const script = await build(fileURLToPath(new URL('crowded.ts', import.meta.url)))
      const { stdout } = await run(...script, stores.url)
      expect(stdout).to.equal('600 appended\n')
    })
  }

  it('does not keep other uncaught errors from ending the process', async () => {
    const script = fileURLToPath(new URL('fault-of-our-own.ts', import.meta.url))
    const ended = await run(await bundledScript(script), stores.url).catch(
      (error: { code: number; stderr: string }) => error,
    )
    expect(ended).to.include({ code: 1 })
    expect(ended.stderr).to.contain('a fault of our own')
  })

  it('is stored by a server whose clock is ahead, as is the maximum age of its stream, its erasure and the mark of the end', async () => {
    const { standIn, another } = stores
    const store = await another({ deadlineMs: 1_000 })
    await store.retain('kept-', 90 * 86_400)
    for (const ahead of [20_000, 3_600_000, 30 * 86_400_000]) {
      standIn.troubles.clock_ahead_ms = ahead
      const [kept, erased] = [`kept-${ahead}`, streamName()]
      await appended(store, [part(kept, NO_STREAM)])
      await appended(store, [part(erased, NO_STREAM, eventsOf(2))])
      await store.erase(erased)
      expect([revisionsOf(await readStream(store, kept)), revisionsOf(await readStream(store, erased))]).to.deep.equal([
        [0],
        [1],
      ])
      await writeForeignEvents(standIn.log, 100)
      expect(await store.end()).not.to.equal(null)
    }
  })

  it('fails as unavailable at its deadline, and may be sent again', async () => {
    const { standIn, another } = stores
    const impatient = await another({ deadlineMs: 300 })
    const unit = [part(streamName(), NO_STREAM)]
    standIn.troubles.lose_answers = 10
    expect(await appendOne(impatient, unit).catch((error: unknown) => error)).to.be.instanceOf(StoreUnavailable)
    standIn.troubles.lose_answers = 0
    await appended(impatient, unit)
    expect(await readStream(impatient, unit[0]!.stream)).to.have.length(1)
  })

  it('ends at once when the store is closed', async () => {
    const { standIn, another } = stores
    const closeTakes = async (): Promise<number> => {
      const closing = await another()
      standIn.troubles.lose_answers = 10
      const waiting = appendOne(closing, [part(streamName(), NO_STREAM)]).catch((error: unknown) => error)
      await eventually(() => standIn.troubles.lose_answers < 10)
      return timeOf(async () => {
        await closing.close()
        expect(await waiting).to.be.instanceOf(StoreUnavailable)
      })
    }
    expect(await bestTime(2_000, closeTakes)).to.be.lessThan(2_000)
  })

  it('fails as unavailable if the server accepts connections but never answers', async () => {
    const sockets: Socket[] = []
    const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await eventually(() => mute.listening)
    try {
      const store = await stores.another({ url: standInUrl((mute.address() as AddressInfo).port), deadlineMs: 400 })
      const calls = [appendOne(store, [part(streamName(), NO_STREAM)]), readStream(store, streamName()), store.end()]
      const errors = await Promise.all(calls.map((call: Promise<unknown>) => call.catch((error: unknown) => error)))
      for (const error of errors) expect(error).to.be.instanceOf(StoreUnavailable)
    } finally {
      for (const socket of sockets) socket.destroy()
      mute.close()
    }
  })
})

describe('a read from EventStoreDB', () => {
  let stores: StandInStores
  before(async () => (stores = await openStandInStores()))
  after(() => stores.close())

  it('is never taken as complete if it was cut short', async () => {
    const stream = streamName()
    await appended(stores.store, [part(stream, NO_STREAM, eventsOf(1_500))])
    const connection = new Connection(stores.url, 3_000, { onFailure: () => {}, onRecovery: () => {} })
    const patience = { isOutage, deadlineMs: 10_000, closing: new AbortController().signal }
    const reading = openReading(
      connection,
      openNames('test.', () => true),
      (attempt) => untilAnswered(attempt, patience),
      unparsed,
    )
    try {
      for (let n = 0; n < 15; n++) {
        const found = reading.slices([{ stream }])
        // The connection is given up because of another call, each time at a later moment of the read.
        await new Promise((resolve) => setTimeout(resolve, 3 * n))
        connection.silent(await connection.link())
        expect(revisionsOf((await found)[0]!)).to.deep.equal(upTo(1_500))
      }
    } finally {
      await connection.close()
    }
  })
})

describe('a cluster of EventStoreDB', () => {
  it('is found through any of its nodes that is up', async () => {
    const stores = await openStandInStores()
    const gone = await openStandInStores()
    await gone.close()
    try {
      const url = `esdb://127.0.0.1:${gone.standIn.port},127.0.0.1:${stores.standIn.port}?tls=false`
      const stream = streamName()
      await appended(await stores.another({ url }), [part(stream, NO_STREAM)])
      expect(await readStream(stores.store, stream)).to.have.length(1)
    } finally {
      await stores.close()
    }
  })
})

describe('a node of EventStoreDB that is not the leader', () => {
  it('redirects appends and reads to the leader', async () => {
    const [follower, leader] = [await openStandInStores(), await openStandInStores()]
    try {
      follower.standIn.troubles.not_leader = 1_000
      follower.standIn.troubles.leader_port = leader.standIn.port
      const stream = streamName()
      const checkpoint = await appended(follower.store, [part(stream, NO_STREAM, eventsOf(2))])
      for (const { store } of [follower, leader]) expect(await readStream(store, stream)).to.have.length(2)
      expect(await follower.store.end()).to.equal(checkpoint)
      expect(follower.standIn.has(`test.${stream}`)).to.equal(false)
    } finally {
      await Promise.all([follower.close(), leader.close()])
    }
  })
})
