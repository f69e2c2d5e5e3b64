import { expect } from 'chai'
import { StoreWentBack } from '../../../domain/errors.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { appended, appendOne, event, eventsOf, part, readStream, streamName, type Cases } from './harness.ts'
import { errorOf, succeeds } from '../../harness/outcomes.ts'

export const historyCases: Cases = (under, { canStopServer }) => {
  if (!canStopServer) return

  /** Waits, because a connection that was ended may be found broken only by its next use. */
  const isNoticed = async (call: () => Promise<unknown>): Promise<void> => {
    await eventually(async () => (await errorOf(call())) instanceof StoreWentBack, { what: 'StoreWentBack' })
  }

  it('is noticed before the first append on it', async () => {
    const { server, another } = under()
    const store = await another()
    const [kept, lost] = [streamName(), streamName()]
    const backup = await appended(store, [part(kept, NO_STREAM)])
    await appended(store, [part(lost, NO_STREAM, eventsOf(3))])
    await server!.putBack(backup)
    expect(store.history.lost.aborted).to.equal(false)
    await isNoticed(() => store.append([[part(streamName('fresh'), NO_STREAM)]]))
    expect(store.history.lost.aborted).to.equal(true)
    for (const call of [store.read([{ stream: kept }]), store.end(), store.readAll(null, 1)])
      expect(await errorOf(call)).to.be.instanceOf(StoreWentBack)
    const opened = await another()
    expect(await opened.end()).to.equal(backup)
    expect(await readStream(opened, kept)).to.have.length(1)
    expect(await readStream(opened, lost)).to.deep.equal([])
  })

  it('is noticed although others have written on past the position that was known', async () => {
    const { server, another } = under()
    const [store, other] = [await another(), await another()]
    const stream = streamName()
    const backup = await appended(store, [part(stream, NO_STREAM)])
    const known = await appended(store, [part(stream, 0, eventsOf(2))])
    await server!.putBack(backup)
    const writer = await another()
    await writer.append([[part(stream, 0, eventsOf(3))], [part(streamName(), NO_STREAM, eventsOf(5))]])
    expect(writer.isAfter((await writer.end())!, known)).to.equal(true)
    await isNoticed(() => store.read([{ stream }]))
    // This one knew nothing that is gone.
    expect(await readStream(other, stream)).to.have.length(4)
    expect(other.history.lost.aborted).to.equal(false)
  })

  it('is noticed by a process that has only read, and by one that has only subscribed', async () => {
    const { server, another } = under()
    const [writer, reader, subscriber] = [await another(), await another(), await another()]
    const stream = streamName()
    const backup = await appended(writer, [part(stream, NO_STREAM)])
    let received = 0
    const following = (async () => {
      for await (const { events } of subscriber.subscribe({ after: backup, signal: new AbortController().signal }))
        received += events.length
    })()
    await appended(writer, [part(stream, 0)])
    await reader.read([{ stream, backwards: true, limit: 1 }])
    await eventually(() => received === 1)
    await server!.putBack(backup)
    expect(await errorOf(following)).to.be.instanceOf(StoreWentBack)
    await isNoticed(() => reader.end())
  })

  it('is not confused with a store whose newest events were erased', async () => {
    const { server, another } = under()
    const store = await another()
    const stream = streamName()
    await appended(store, [part(stream, NO_STREAM, eventsOf(3))])
    const other = await another()
    await appended(other, [part(stream, 2, [event({ note: 'closed' })])])
    await other.erase(stream)
    await server!.stop()
    await server!.start()
    await eventually(() => succeeds(store.read([{ stream }])))
    expect((await appendOne(store, [part(stream, 3)])).ok).to.equal(true)
    expect(store.history.lost.aborted).to.equal(false)
  })

  it('is not confused with a store whose newest event has expired', async () => {
    const { server, another } = under()
    const store = await another()
    const prefix = `${streamName('retained')}-`
    await store.retain(prefix, 1)
    await appended(store, [part(`${prefix}a`, NO_STREAM)])
    await eventually(async () => (await readStream(store, `${prefix}a`)).length === 0, { what: 'the expiry' })
    await server!.stop()
    await server!.start()
    await eventually(() => succeeds(store.read([{ stream: streamName() }])))
    expect(store.history.lost.aborted).to.equal(false)
  })

  it('is asked again if a conflict reports an older revision than was expected', async () => {
    const { another } = under()
    const store = await another()
    const stream = streamName()
    await appended(store, [part(stream, NO_STREAM)])
    expect((await appendOne(store, [part(stream, 7)])).ok).to.equal(false)
    expect(store.history.lost.aborted).to.equal(false)
  })
}
