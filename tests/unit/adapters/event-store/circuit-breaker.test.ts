import { expect } from 'chai'
import { guardStore, type BreakerOptions, type Outage } from '../../../../adapters/event-store/circuit-breaker.ts'
import { StoreAway, StoreUnavailable } from '../../../../domain/errors.ts'
import type { EventStore } from '../../../../domain/ports.ts'
import { bestTime } from '../../../harness/best-time.ts'
import { eventually } from '../../../harness/eventually.ts'
import { errorOf } from '../../../harness/outcomes.ts'

const TIMES = { mostWaitMs: 400, openAfterMs: 600, probeAfterMs: 100, outageAfterMs: 300 }

/** Reads of the installation's stream are probes. Reads of streams named `slow-…` are only answered by `finishSlow`. */
const openWorld = (times: BreakerOptions = TIMES) => {
  const answers: (() => void)[] = []
  let isFrozen = false
  let probes = 0
  const slow: (() => void)[] = []
  const answer = <Result>(result: Result): Promise<Result> =>
    isFrozen ? new Promise((resolve) => answers.push(() => resolve(result))) : Promise.resolve(result)
  const bare = {
    read: ([slice]: { stream: string }[]) => {
      if (slice!.stream === 'installation') probes++
      return slice!.stream.startsWith('slow-') ? new Promise((resolve) => slow.push(() => resolve([[]]))) : answer([[]])
    },
    append: () => answer([{ ok: true, checkpoint: '1' }]),
    end: () => answer('1'),
  } as unknown as EventStore
  const outages: Outage[] = []
  const recoveries: Outage[] = []
  const guarded = guardStore(bare, {
    ...times,
    onOutage: (outage) => outages.push(outage),
    onRecovered: (outage) => recoveries.push(outage),
  })
  return {
    ...guarded,
    outages,
    recoveries,
    probes: () => probes,
    freeze: () => (isFrozen = true),
    thaw: () => {
      isFrozen = false
      for (const settle of answers.splice(0)) settle()
    },
    finishSlow: () => slow.splice(0).forEach((settle) => settle()),
  }
}

const timed = async (call: () => Promise<unknown>): Promise<{ error: unknown; ms: number }> => {
  const began = performance.now()
  const error = await errorOf(call())
  return { error, ms: performance.now() - began }
}

const read = ({ requestStore }: { requestStore: EventStore }) => requestStore.read([{ stream: 'account-1' }])

describe('the circuit breaker of the event store', () => {
  let world: ReturnType<typeof openWorld>
  beforeEach(() => (world = openWorld()))
  afterEach(() => world.end())

  it('passes calls through while the store answers, without a probe', async () => {
    expect(await world.requestStore.append([])).to.deep.equal([{ ok: true, checkpoint: '1' }])
    expect(await world.store.end()).to.equal('1')
    expect([world.silentMs(), world.isOpen(), world.probes()]).to.deep.equal([0, false, 0])
  })

  it('gives a request up after its time, and refuses at once after a longer silence', async () => {
    const givenUp = async (): Promise<number> => {
      await world.end()
      world = openWorld()
      world.freeze()
      const { error, ms } = await timed(() => read(world))
      expect(error).to.be.instanceOf(StoreUnavailable)
      return ms
    }
    // On a busy machine it may seem late, and also early: a timer counts from the beginning of its turn of the event loop.
    await eventually(async () => expect(await givenUp()).to.be.within(350, 599))
    await eventually(() => world.isOpen())
    const refused = await timed(() => world.requestStore.append([]))
    expect(refused.error).to.be.instanceOf(StoreAway)
    expect(refused.ms).to.be.below(100)
  })

  it('does not say that the store is away before it has reported an outage', async () => {
    await world.end()
    world = openWorld({ ...TIMES, outageAfterMs: 60_000 })
    world.freeze()
    expect(await errorOf(read(world)))
      .to.be.instanceOf(StoreUnavailable)
      .and.not.instanceOf(StoreAway)
  })

  it('refuses requests that are already waiting when it opens', async () => {
    const refused = async (): Promise<number> => {
      await world.end()
      world = openWorld()
      world.freeze()
      const first = read(world).catch(() => {})
      await eventually(() => world.silentMs() > 350)
      const { error, ms } = await timed(() => read(world))
      expect(error).to.be.instanceOf(StoreAway)
      await first
      return ms
    }
    expect(await bestTime(390, refused)).to.be.below(390)
  })

  it('lets background work wait, and everything continues when the probe is answered', async () => {
    world.freeze()
    await errorOf(read(world))
    await eventually(() => world.isOpen())
    const work = world.store.read([{ stream: 'account-1' }])
    const since = world.silentMs()
    // It looks ten times a second.
    await eventually(() => world.silentMs() >= since + 250)
    expect(world.probes()).to.equal(1)
    world.thaw()
    expect(await work).to.deep.equal([[]])
    expect(world.isOpen()).to.equal(false)
    expect(await read(world)).to.deep.equal([[]])
  })

  it('stays closed if one call takes long and the store answers others', async () => {
    const long = world.store.read([{ stream: 'slow-1' }])
    await eventually(() => world.probes() >= 8)
    expect(world.isOpen()).to.equal(false)
    expect(world.outages).to.deep.equal([])
    world.finishSlow()
    expect(await long).to.deep.equal([[]])
  })

  it('notices without further calls that the store answers again', async () => {
    world.freeze()
    await errorOf(read(world))
    world.thaw()
    await eventually(() => world.silentMs() === 0)
    expect(world.isOpen()).to.equal(false)
  })

  it('reports an outage once when it begins and once when it ends, with its length and the number of refused requests', async () => {
    await read(world)
    world.freeze()
    await errorOf(read(world))
    await eventually(() => world.isOpen())
    for (let n = 0; n < 3; n++) await errorOf(read(world))
    await errorOf(world.store.end())
    world.thaw()
    await eventually(() => world.recoveries.length > 0)
    expect(world.outages).to.have.length(1)
    expect(world.recoveries).to.have.length(1)
    expect(world.recoveries[0]).to.deep.include({ refused: 3, given_up: 1 })
    expect(world.recoveries[0]!.silent_ms).to.be.at.least(600)
    world.freeze()
    await errorOf(read(world))
    world.thaw()
    await eventually(() => world.recoveries.length > 1)
    expect(world.recoveries[1]).to.deep.include({ refused: 0, given_up: 1 })
  })

  it('opens if each call and each probe ends without an answer', async () => {
    const away = () => Promise.reject(new StoreUnavailable('no answer'))
    const guarded = guardStore({ read: away } as unknown as EventStore, TIMES)
    await errorOf(guarded.requestStore.read([]))
    await eventually(() => guarded.isOpen())
    await guarded.end()
  })

  it('refuses what waits at its end, and then passes calls on', async () => {
    world.freeze()
    await errorOf(read(world))
    await eventually(() => world.isOpen())
    let refused: unknown
    void world.store.end().catch((error: unknown) => (refused = error))
    await world.end()
    await new Promise(setImmediate)
    expect(refused).to.be.instanceOf(StoreUnavailable)
    world.thaw()
    expect(await world.store.end()).to.equal('1')
  })

  it('looks with one timer while calls wait, and with none afterwards', async () => {
    const { setInterval, clearInterval } = globalThis
    const timers = new Set<unknown>()
    globalThis.setInterval = ((...given: Parameters<typeof setInterval>) => {
      const timer = setInterval(...given)
      timers.add(timer)
      return timer
    }) as typeof setInterval
    globalThis.clearInterval = (timer) => {
      timers.delete(timer)
      clearInterval(timer)
    }
    try {
      world.freeze()
      const calls = [world.store.end(), world.store.end(), world.store.end()]
      expect(timers).to.have.lengthOf(1)
      world.thaw()
      await Promise.all(calls)
      await eventually(() => timers.size === 0)
      world.freeze()
      void world.store.end()
      expect(timers).to.have.lengthOf(1)
      await world.end()
      expect(timers).to.be.empty
    } finally {
      Object.assign(globalThis, { setInterval, clearInterval })
    }
  })

  it('refuses at its end what waits for the store', async () => {
    // A time that no waiting call reaches.
    const long = openWorld({ ...TIMES, mostWaitMs: 600_000, openAfterMs: 600_000 })
    long.freeze()
    const waiting = errorOf(read(long))
    await long.end()
    expect(await waiting).to.be.instanceOf(StoreUnavailable)
    long.thaw()
    world.freeze()
    void errorOf(world.store.append([]))
    await eventually(() => world.isOpen())
    const behind = errorOf(world.store.append([]))
    await world.end()
    expect(await behind).to.be.instanceOf(StoreUnavailable)
  })

  it('treats a store that refuses its probe as one that responds', async () => {
    const refusing = guardStore({ read: () => Promise.reject(new Error('no access')) } as unknown as EventStore, {
      ...TIMES,
      openAfterMs: 150,
    })
    expect(await errorOf(refusing.requestStore.read([]))).to.have.property('message', 'no access')
    await eventually(() => refusing.silentMs() === 0)
    expect(refusing.isOpen()).to.equal(false)
    await refusing.end()
  })
})
