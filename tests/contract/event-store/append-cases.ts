import { expect } from 'chai'
import { NO_STREAM, type Unit } from '../../../domain/ports.ts'
import {
  appended,
  appendOne,
  checkpointOf,
  conflictWith,
  event,
  eventsOf,
  idsOf,
  part,
  readStream,
  revisionsOf,
  streamName,
  upTo,
  type Cases,
} from './harness.ts'

export const appendCases: Cases = (under) => {
  it('continues from the expected revision', async () => {
    const { store } = under()
    const stream = streamName()
    const first = await appended(store, [part(stream, NO_STREAM, eventsOf(3))])
    const second = await appended(store, [part(stream, 2, eventsOf(2))])
    expect(store.isAfter(second, first)).to.equal(true)
    expect(store.isAfter(first, second)).to.equal(false)
    const events = await readStream(store, stream)
    expect(revisionsOf(events)).to.deep.equal(upTo(5))
    expect([events[2]!.checkpoint, events[4]!.checkpoint]).to.deep.equal([first, second])
  })

  it('refuses any other revision and names the current one', async () => {
    const { store } = under()
    const stream = streamName()
    expect(await appendOne(store, [part(stream, 0)])).to.deep.equal(conflictWith(stream, NO_STREAM))
    await appended(store, [part(stream, NO_STREAM, eventsOf(2))])
    for (const wrong of [NO_STREAM, 0, 2, 17])
      expect(await appendOne(store, [part(stream, wrong)])).to.deep.equal(conflictWith(stream, 1))
    expect(await readStream(store, stream)).to.have.length(2)
  })

  it('accepts the same event ids again for the same append', async () => {
    const { store } = under()
    const stream = streamName()
    const unit = [part(stream, NO_STREAM, eventsOf(2))]
    const checkpoint = await appended(store, unit)
    expect(await appended(store, unit)).to.equal(checkpoint)
    const next = [part(stream, 1, eventsOf(3))]
    const after = await appended(store, next)
    await appended(store, [part(streamName(), NO_STREAM)])
    expect(await appended(store, unit)).to.equal(checkpoint)
    expect(await appended(store, next)).to.equal(after)
    expect(await readStream(store, stream)).to.have.length(5)
  })

  it('stores the units of one call in order: always within a stream, and across streams if it declares that', async () => {
    const { store } = under()
    const streams = [streamName(), streamName(), streamName()]
    const units = upTo(30).map((n) => [part(streams[n % 3]!, Math.floor(n / 3) - 1)])
    const results = await store.append(units)
    const positions = results.map((result) => checkpointOf(result))
    const rises = (of: readonly string[]) => of.slice(1).every((position, n) => store.isAfter(position, of[n]!))
    for (const start of upTo(3)) expect(rises(positions.filter((_, n) => n % 3 === start))).to.equal(true)
    if (store.keepsOrder) expect(rises(positions)).to.equal(true)
  })

  it('compares the revisions of streams that get no event if it declares that, and otherwise refuses them before anything is stored', async () => {
    const { store } = under()
    const [account, other] = [streamName(), streamName()]
    await appended(store, [part(account, NO_STREAM, eventsOf(3))])
    const unit = (revision: number): Unit => [part(account, revision, []), part(streamName(), NO_STREAM)]
    if (!store.comparesUnwritten) {
      const refused = await store.append([[part(other, NO_STREAM)], unit(2)]).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(RangeError)
      return expect(await readStream(store, other)).to.deep.equal([])
    }
    const many = await store.append([unit(2), unit(2), unit(2)])
    expect(many.every(({ ok }) => ok)).to.equal(true)
    for (const wrong of [NO_STREAM, 1, 3])
      expect(await appendOne(store, unit(wrong))).to.deep.equal(conflictWith(account, 2))
    // Beside an append to that stream, in one group.
    const [changed, compared] = await store.append([[part(account, 2)], unit(2)])
    expect([changed!.ok, compared]).to.deep.equal([true, conflictWith(account, 3)])
    // Sent again after its answer was lost.
    const again = unit(3)
    const checkpoint = await appended(store, again)
    expect(await appended(store, again)).to.equal(checkpoint)
    expect(await readStream(store, account)).to.have.length(4)
    const lastEmpty = [part(streamName(), NO_STREAM), part(account, 3, [])]
    expect(await store.append([lastEmpty]).catch((error: unknown) => error)).to.be.instanceOf(RangeError)
    // A unit that only compares, alone and beside an append.
    const end = await store.end()
    expect(await appended(store, [part(account, 3, [])])).to.equal(end)
    expect(await appendOne(store, [part(account, 2, [])])).to.deep.equal(conflictWith(account, 3))
    const beside = await store.append([[part(other, NO_STREAM, [])], [part(account, 3)], [part(account, 3, [])]])
    expect(beside.map(({ ok }) => ok)).to.deep.equal([true, true, false])
    expect(await readStream(store, account)).to.have.length(5)
  })

  it('accepts the same ids again within one call, and concurrently', async () => {
    const { store } = under()
    const stream = streamName()
    const unit = [part(stream, NO_STREAM, eventsOf(2))]
    const [[first, second], [third]] = await Promise.all([store.append([unit, unit]), store.append([unit])])
    expect(new Set([first, second, third].map(checkpointOf)).size).to.equal(1)
    expect(idsOf(await readStream(store, stream))).to.deep.equal(idsOf(unit[0]!.events))
  })

  it('recognises known ids only if no new ids are with them', async () => {
    const { store } = under()
    const stream = streamName()
    const known = eventsOf(2)
    await appended(store, [part(stream, NO_STREAM, known)])
    expect(await appendOne(store, [part(stream, NO_STREAM, [...known, event()])])).to.deep.equal(
      conflictWith(stream, 1),
    )
    expect(await appendOne(store, [part(stream, 0, known)])).to.deep.equal(conflictWith(stream, 1))
    // The same id in another stream is another event.
    await appended(store, [part(streamName(), NO_STREAM, known)])
  })

  it('lets only one of two decisions with NO_STREAM succeed, even if they are equal', async () => {
    const { store, another } = under()
    const other = await another()
    for (let round = 0; round < 30; round++) {
      const stream = streamName()
      const results = await Promise.all([
        appendOne(store, [part(stream, NO_STREAM, [event({ same: true })])]),
        appendOne(other, [part(stream, NO_STREAM, [event({ same: true })])]),
      ])
      expect(results.filter(({ ok }) => ok)).to.have.length(1)
      expect(results.find(({ ok }) => !ok)).to.deep.equal(conflictWith(stream, 0))
      expect(await readStream(store, stream)).to.have.length(1)
    }
  })

  it('lets only one of two decisions in one call succeed', async () => {
    const { store } = under()
    const stream = streamName()
    const results = await store.append([[part(stream, NO_STREAM)], [part(stream, NO_STREAM)]])
    expect(checkpointOf(results[0])).to.be.a('string')
    expect(results[1]).to.deep.equal(conflictWith(stream, 0))
  })

  describe('units of several streams', () => {
    it('are written in order, and the answer is the last checkpoint', async () => {
      const { store } = under()
      const streams = [streamName('book'), streamName('order'), streamName('transaction')]
      const checkpoint = await appended(
        store,
        streams.map((stream) => part(stream, NO_STREAM, eventsOf(2))),
      )
      const events = (await Promise.all(streams.map((stream) => readStream(store, stream)))).flat()
      expect(events).to.have.length(6)
      expect(events.at(-1)!.checkpoint).to.equal(checkpoint)
      for (let index = 1; index < events.length; index++)
        expect(store.isAfter(events[index]!.checkpoint, events[index - 1]!.checkpoint)).to.equal(true)
    })

    it('stop at the stream with a conflict: later streams are not written', async () => {
      const { store } = under()
      const [book, order, transaction] = [streamName('book'), streamName('order'), streamName('transaction')]
      await appended(store, [part(order, NO_STREAM)])
      const result = await appendOne(store, [
        part(book, NO_STREAM),
        part(order, NO_STREAM),
        part(transaction, NO_STREAM),
      ])
      expect(result).to.deep.equal(conflictWith(order, 0))
      expect(await readStream(store, transaction)).to.have.length(0)
      expect(await readStream(store, order)).to.have.length(1)
    })

    it('are completed with the same ids after an interruption between two streams', async () => {
      const { store } = under()
      const streams = [streamName('book'), streamName('order'), streamName('transaction')]
      const unit: Unit = streams.map((stream) => part(stream, NO_STREAM, eventsOf(2)))
      for (const cut of [1, 2]) {
        await appended(store, unit.slice(0, cut))
        await appended(store, [part(streams[0]!, cut, [event()])])
      }
      const checkpoint = await appended(store, unit)
      expect(await appended(store, unit)).to.equal(checkpoint)
      for (const { stream, events } of unit)
        expect(idsOf(await readStream(store, stream)).slice(0, 2)).to.deep.equal(idsOf(events))
    })

    it('may write again to a stream that they have written to', async () => {
      const { store } = under()
      const stream = streamName()
      const unit = [part(stream, NO_STREAM), part(streamName(), NO_STREAM), part(stream, 0)]
      const checkpoint = await appended(store, unit)
      expect(await appended(store, unit)).to.equal(checkpoint)
      expect(await readStream(store, stream)).to.have.length(2)
    })
  })

  describe('many units in one call', () => {
    it('are answered separately, in order', async () => {
      const { store } = under()
      const taken = streamName()
      await appended(store, [part(taken, NO_STREAM)])
      const streams = upTo(90).map((n) => (n % 30 === 15 ? taken : streamName()))
      const results = await store.append(streams.map((stream) => [part(stream, NO_STREAM)]))
      results.forEach((result, n) => {
        if (n % 30 === 15) expect(result).to.deep.equal(conflictWith(taken, 0))
        else checkpointOf(result)
      })
      const read = await store.read(streams.map((stream) => ({ stream })))
      expect(read.map((events) => events.length)).to.deep.equal(streams.map(() => 1))
      read.forEach(([only], n) => {
        if (n % 30 !== 15) expect(only!.checkpoint).to.equal(checkpointOf(results[n]))
      })
    })

    it('may depend on each other', async () => {
      const { store } = under()
      const [book, ...transactions] = [streamName('book'), ...upTo(40).map(() => streamName('transaction'))]
      const units = transactions.map((stream, n) => [part(book, n - 1), part(stream, NO_STREAM)])
      const results = await store.append(units)
      results.forEach(checkpointOf)
      expect(await store.append(units)).to.deep.equal(results)
      expect(revisionsOf(await readStream(store, book))).to.deep.equal(upTo(40))
    })

    it('fail with the unit that they depend on, and no others do', async () => {
      const { store } = under()
      const [book, apart, taken] = [streamName('book'), streamName(), streamName()]
      await appended(store, [part(taken, NO_STREAM)])
      const results = await store.append([
        [part(book, NO_STREAM)],
        [part(taken, NO_STREAM), part(book, 0)],
        [part(apart, NO_STREAM)],
        [part(book, 1)],
        [part(apart, 0)],
      ])
      expect(results.map(({ ok }) => ok)).to.deep.equal([true, false, true, false, true])
      expect(results[3]).to.deep.equal(conflictWith(book, 0))
      expect(await readStream(store, book)).to.have.length(1)
    })

    it('fail with the unit that they depend on even if their revision would fit', async () => {
      const { store } = under()
      const stream = streamName()
      await appended(store, [part(stream, NO_STREAM, eventsOf(2))])
      // Decided when the stream was at 0. Another process has written 1 meanwhile.
      const results = await store.append([[part(stream, 0)], [part(stream, 1)]])
      expect(results).to.deep.equal([conflictWith(stream, 1), conflictWith(stream, 1)])
      expect(await readStream(store, stream)).to.have.length(2)
    })
  })

  it('returns nothing for no units, and refuses invalid units', async () => {
    const { store } = under()
    expect(await store.append([])).to.deep.equal([])
    const nothing = part(streamName(), NO_STREAM, [])
    const units = [[], [part(streamName(), NO_STREAM), nothing], [part('', NO_STREAM)], [part(streamName(), -2)]]
    // A store that compares streams without writing accepts a unit that does only that.
    if (!store.comparesUnwritten) units.push([nothing])
    for (const unit of units)
      expect(await store.append([unit]).catch((error: Error) => error)).to.be.instanceOf(RangeError)
  })
}
