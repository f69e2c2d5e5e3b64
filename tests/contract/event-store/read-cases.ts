import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import {
  appended,
  event,
  eventsOf,
  idsOf,
  part,
  readToEnd,
  revisionsOf,
  streamName,
  upTo,
  type Cases,
} from './harness.ts'

export const readCases: Cases = (under) => {
  it('reads slices of several streams, each in order, in one call', async () => {
    const { store } = under()
    const [long, short, none] = [streamName(), streamName(), streamName()]
    await appended(store, [part(long, NO_STREAM, eventsOf(50)), part(short, NO_STREAM, eventsOf(1))])
    const slices = [
      { stream: long },
      { stream: none },
      { stream: long, from: 47 },
      { stream: long, from: 10, limit: 2 },
      { stream: short, backwards: true },
      { stream: long, backwards: true, limit: 3 },
      { stream: long, from: 50 },
      { stream: long, limit: 1 },
      { stream: none, backwards: true, limit: 1 },
    ]
    const found = await store.read(slices)
    expect(found.map(revisionsOf)).to.deep.equal([upTo(50), [], [47, 48, 49], [10, 11], [0], [49, 48, 47], [], [0], []])
    expect(found[4]![0]!.stream).to.equal(short)
    // Each slice in a call of its own.
    for (const [index, slice] of slices.entries()) expect(await store.read([slice])).to.deep.equal([found[index]])
    expect(await store.read([])).to.deep.equal([])
  })

  it('reads many streams of many megabytes in one call', async () => {
    const { store } = under()
    const text = 'đ'.repeat(100_000)
    const streams = upTo(40).map(() => streamName())
    for (let n = 0; n < streams.length; n += 4)
      await store.append(streams.slice(n, n + 4).map((stream) => [part(stream, NO_STREAM, [event({ text }), event()])]))
    const slices = streams.flatMap((stream) => [{ stream }, { stream, backwards: true, limit: 1 }])
    const found = await store.read(slices)
    found.forEach((events, n) => {
      expect(revisionsOf(events)).to.deep.equal(n % 2 === 0 ? [0, 1] : [1])
      expect(new Set(events.map(({ stream }) => stream))).to.deep.equal(new Set([slices[n]!.stream]))
    })
  })

  it('reads everything in order, from a checkpoint', async () => {
    const { store } = under()
    const before = await store.end()
    const streams = upTo(5).map(() => streamName())
    const written = streams.map((stream) => part(stream, NO_STREAM, eventsOf(7)))
    const last = await appended(store, written)
    expect(await store.end()).to.equal(last)
    const all = await readToEnd(store, before, 4)
    expect(idsOf(all)).to.deep.equal(written.flatMap(({ events }) => idsOf(events)))
    expect(idsOf(await store.readAll(all[9]!.checkpoint, 3))).to.deep.equal(idsOf(all.slice(10, 13)))
    expect(await store.readAll(last, 10)).to.deep.equal([])
  })

  it('ends a page of everything with the event that reaches a number of bytes', async () => {
    const { store } = under()
    const before = await store.end()
    const events = upTo(6).map((n) => event({ n, text: 'x'.repeat(n < 4 ? 2_000 : 9_000) }))
    await appended(store, [part(streamName(), NO_STREAM, events)])
    const sizes: number[] = []
    const found: string[] = []
    for (let position = before; ;) {
      const page = await store.readAll(position, 100, 5_000)
      if (page.length === 0) break
      sizes.push(page.length)
      found.push(...idsOf(page))
      position = page.at(-1)!.checkpoint
    }
    expect(sizes).to.deep.equal([3, 2, 1])
    expect(found).to.deep.equal(idsOf(events))
  })

  it('compares checkpoints by position, not as text', async () => {
    const { store } = under()
    const checkpoints: string[] = []
    const stream = streamName()
    for (let revision = NO_STREAM; revision < 24; revision++)
      checkpoints.push(await appended(store, [part(stream, revision)]))
    checkpoints.forEach((a, i) =>
      checkpoints.forEach((b, j) => expect(store.isAfter(a, b), `${a} after ${b}`).to.equal(i > j)),
    )
  })
}
