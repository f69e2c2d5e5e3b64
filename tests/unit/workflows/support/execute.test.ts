import { expect } from 'chai'
import { idEvents } from '../../../../domain/ids.ts'
import type { NewEvent } from '../../../../domain/event.ts'
import { parseEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import type { EventStore, Slice, Unit, UnitResult } from '../../../../domain/ports.ts'
import { execute } from '../../../../workflows/support/execute.ts'
import { foldCache } from '../../../../workflows/support/fold-cache.ts'

const OCCASION = { user_id: 5, at: new Date('2026-11-20T03:00:00Z'), correlation_id: 'c', causation_id: 'c' }

/** A store with one stream. */
class OneStream {
  events: StoredEvent[] = []
  reads = 0
  /** All events have expired. The numbering of the stream continues. */
  isExpired = false
  /** Runs before the next append, as another process would. */
  meanwhile: (() => void) | null = null

  put(events: readonly NewEvent[]): void {
    for (const event of events)
      this.events.push(parseEvent({ ...event, stream: 'sum-a', revision: this.events.length, checkpoint: '1' }))
  }

  get store(): EventStore {
    return {
      read: async ([slice]: readonly Slice[]) => {
        this.reads++
        return [this.isExpired ? [] : this.events.slice(slice!.from ?? 0)]
      },
      append: async ([unit]: readonly Unit[]): Promise<UnitResult[]> => {
        this.meanwhile?.()
        this.meanwhile = null
        const [{ stream, expectedRevision, events }] = unit as Unit & [Unit[number]]
        const revision = this.events.length - 1
        if (expectedRevision !== revision) return [{ ok: false, conflict: { stream, revision } }]
        this.put(events)
        return [{ ok: true, checkpoint: '1' }]
      },
    } as unknown as EventStore
  }
}

const added = (to: number) => ({ type: 'IdsReserved', data: { from: 1, to } })
const event = (to: number): NewEvent => ({
  id: '',
  ...added(to),
  metadata: { user_id: 5, at: '2026-11-20T03:00:00.000Z', correlation_id: '', causation_id: '', version: 1 },
})

describe('execute', () => {
  const world = () => {
    const one = new OneStream()
    const sums = foldCache(
      {
        stream: (key) => `sum-${key}`,
        events: idEvents,
        initial: 0,
        evolve: (sum: number, { data }) => sum + data.to,
      },
      10,
    )
    const { store } = one
    const run = (decide: (sum: number) => readonly ReturnType<typeof added>[]) =>
      execute(store, sums, 'a', OCCASION, ({ state }) => decide(state))
    return { one, run }
  }

  it('appends what is decided from the newest state, and returns the state after it', async () => {
    const { one, run } = world()
    one.put([event(3)])
    expect(await run((sum) => [added(sum + 1)])).to.deep.equal({ state: 7, revision: 1, checkpoint: '1' })
    expect(one.events.map(({ data }) => data)).to.deep.equal([added(3).data, added(4).data])
  })

  it('continues the numbering of a stream whose events have all expired', async () => {
    const { one, run } = world()
    one.put([event(3), event(4)])
    one.isExpired = true
    expect(await run((sum) => [added(sum + 1)])).to.include({ state: 1, revision: 2 })
  })

  it('appends nothing if nothing is decided', async () => {
    const { one, run } = world()
    one.put([event(3)])
    expect(await run(() => [])).to.deep.equal({ state: 3, revision: 0, checkpoint: null })
    expect(one.events).to.have.length(1)
  })

  it('decides again from the state that another process has just written', async () => {
    const { one, run } = world()
    one.meanwhile = () => one.put([event(10)])
    const states: number[] = []
    const { state } = await run((sum) => {
      states.push(sum)
      return [added(1)]
    })
    expect(states).to.deep.equal([0, 10])
    expect(state).to.equal(11)
  })

  it('takes over the numbering of a stream whose events have expired', async () => {
    const { one, run } = world()
    one.put([event(3), event(4)])
    const { store } = one
    store.read = async () => [[]]
    expect((await run(() => [added(1)])).revision).to.equal(2)
  })

  it('discards a cached fold that is ahead of its stream', async () => {
    const { one, run } = world()
    for (const by of [10, 20, 30]) await run(() => [added(by)])
    // An older copy of the store is in place.
    one.events.splice(1)
    expect(await run((sum) => [added(sum)])).to.include({ state: 20, revision: 1 })
  })

  it('runs the commands of one stream in turn, so that they never conflict with each other', async () => {
    const { one, run } = world()
    await Promise.all(Array.from({ length: 20 }, () => run((sum) => [added(sum + 1)])))
    expect(one.events).to.have.length(20)
    expect(one.events.every(({ revision }, n) => revision === n)).to.equal(true)
    // One read each, and none again after a conflict.
    expect(one.reads).to.equal(20)
  })

  it('passes the refusal of a decision on and appends nothing', async () => {
    const { one, run } = world()
    const refused = await run(() => {
      throw new Error('refused')
    }).catch((error: unknown) => error)
    expect(refused).to.have.property('message', 'refused')
    expect(one.events).to.deep.equal([])
  })
})
