import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import {
  appended,
  eventsOf,
  expectRising,
  follow,
  idsOf,
  part,
  readToEnd,
  streamName,
  upTo,
  type Cases,
} from './harness.ts'

export const subscriptionCases: Cases = (under) => {
  it('start in the past and become live without gap or repetition', async () => {
    const { store, another } = under()
    const start = await store.end()
    const prefix = `${streamName('live')}-`
    const stores = [store, await another()]
    let isWriting = true
    let written = 0
    const writer = async (n: number): Promise<void> => {
      for (let revision = NO_STREAM; isWriting || revision < 5; revision += 2) {
        await appended(stores[n % 2]!, [part(`${prefix}${n}`, revision, eventsOf(2)), part(streamName(), NO_STREAM)])
        written += 2
      }
    }
    const writers = upTo(6).map(writer)
    await eventually(() => written > 60)
    const followers = upTo(4).map((n) =>
      follow(stores[n % 2]!, { after: start, prefixes: [prefix], maxBatch: 7 + 100 * n }),
    )
    await eventually(() => followers.every(({ isLive }) => isLive()))
    const atLive = written
    await eventually(() => written > atLive + 60)
    // Another one joins while the first ones are live.
    followers.push(follow(store, { after: start, prefixes: [prefix, 'never-'] }))
    await eventually(() => written > atLive + 120)
    isWriting = false
    await Promise.all(writers)
    const everything = (await readToEnd(store, start, 1_000)).filter(({ stream }) => stream.startsWith(prefix))
    expect(everything).to.have.length(written)
    for (const follower of followers) {
      await eventually(() => follower.events().length >= everything.length)
      await follower.stop()
      expect(idsOf(follower.events())).to.deep.equal(idsOf(everything))
    }
  })

  it('continue from the checkpoint of any batch', async () => {
    const { store } = under()
    const start = await store.end()
    const prefix = `${streamName('resumed')}-`
    const events = eventsOf(30)
    await appended(store, [part(`${prefix}a`, NO_STREAM, events.slice(0, 29)), part(streamName(), NO_STREAM)])
    await appended(store, [part(`${prefix}a`, 28, events.slice(29))])
    const whole = follow(store, { after: start, prefixes: [prefix], maxBatch: 4 })
    await eventually(() => whole.events().length === 30 && whole.isLive())
    await whole.stop()
    expect(Math.max(...whole.batches.map((batch) => batch.events.length))).to.equal(4)
    let seen = 0
    for (const { checkpoint, events: some } of whole.batches.slice(0, -1)) {
      seen += some.length
      const rest = follow(store, { after: checkpoint, prefixes: [prefix] })
      await eventually(() => rest.isLive() && rest.events().length >= 30 - seen)
      await rest.stop()
      expect(idsOf(rest.events())).to.deep.equal(idsOf(events.slice(seen)))
    }
  })

  it('deliver everything if they have no prefixes', async () => {
    const { store } = under()
    const start = await store.end()
    const following = follow(store, { after: start })
    await eventually(() => following.isLive())
    const ids: string[] = []
    for (const count of [1, 3, 200]) {
      const events = eventsOf(count)
      ids.push(...idsOf(events))
      await appended(store, [part(streamName(), NO_STREAM, events)])
      await eventually(() => following.events().length >= ids.length)
    }
    await following.stop()
    expect(idsOf(following.events())).to.deep.equal(ids)
    expectRising(store, following.events())
  })

  it('advance their checkpoint past events of other streams', async () => {
    const { store } = under()
    const prefix = `${streamName('quiet')}-`
    const following = follow(store, { after: await store.end(), prefixes: [prefix] })
    await eventually(() => following.isLive())
    const passed = await appended(store, [part(streamName(), NO_STREAM, eventsOf(10))])
    await eventually(() => {
      const { checkpoint } = following.batches.at(-1)!
      return checkpoint === passed || store.isAfter(checkpoint, passed)
    })
    await following.stop()
    expect(following.events()).to.deep.equal([])
  })

  it('deliver an append within milliseconds, not at the next poll', async () => {
    const { store } = under()
    const prefix = `${streamName('soon')}-`
    const following = follow(store, { after: await store.end(), prefixes: [prefix] })
    await eventually(() => following.isLive())
    let number = 0
    const median = async (): Promise<number> => {
      const delays: number[] = []
      for (let n = 0; n < 20; n++) {
        await appended(store, [part(`${prefix}${number++}`, NO_STREAM)])
        delays.push(await timeOf(() => eventually(() => following.events().length === number)))
      }
      return delays.toSorted((a, b) => a - b)[10]!
    }
    const best = await bestTime(60, median)
    await following.stop()
    expect(best).to.be.lessThan(60)
  })

  it('let a slow consumer keep its own pace without losing events', async () => {
    const { store } = under()
    const prefix = `${streamName('slow')}-`
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const start = await store.end()
    const slow = follow(store, { after: start, prefixes: [prefix] }, ({ events }) =>
      events.length > 0 ? held : undefined,
    )
    const quick = follow(store, { after: start, prefixes: [prefix] })
    await eventually(() => slow.isLive() && quick.isLive())
    const ids: string[] = []
    // A slow machine may not append larger groups in time.
    for (let round = 0; round < repetitions(60, 10); round++) {
      const parts = upTo(200).map((n) => part(`${prefix}${round}-${n}`, NO_STREAM, eventsOf(1)))
      await store.append(parts.map((one) => [one]))
      ids.push(...parts.flatMap(({ events }) => idsOf(events)))
    }
    await eventually(() => quick.events().length === ids.length)
    expect(slow.events().length).to.be.lessThan(ids.length)
    release()
    await eventually(() => slow.events().length >= ids.length)
    await Promise.all([slow.stop(), quick.stop()])
    const appendedIds = new Set(ids)
    // Units of one append run side by side, so the order is the store's own.
    const inOrder = idsOf(await store.readAll(start, 2 * ids.length)).filter((id) => appendedIds.has(id))
    expect(inOrder.toSorted()).to.deep.equal(ids.toSorted())
    expect(idsOf(slow.events())).to.deep.equal(inOrder)
    expect(idsOf(quick.events())).to.deep.equal(inOrder)
  })

  it('end at once when aborted, in any state', async () => {
    const { store } = under()
    const end = await store.end()
    const stopTakes = async (): Promise<number> => {
      const idle = follow(store, { after: end })
      const busy = follow(store, { after: null, maxBatch: 10 })
      const early = follow(store, { after: null })
      await eventually(() => idle.isLive() && busy.batches.length > 2)
      return timeOf(() => Promise.all([idle.stop(), busy.stop(), early.stop()]))
    }
    expect(await bestTime(1_000, stopTakes)).to.be.lessThan(1_000)
    const stopped = follow(store, { after: end })
    await stopped.stop()
    expect(stopped.events()).to.deep.equal([])
  })
}
