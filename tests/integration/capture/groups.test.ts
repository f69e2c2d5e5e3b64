/** How groups of notifications use the store, and what happens if it does not answer. */
import { expect } from 'chai'
import { openIds } from '../../../adapters/system/ids.ts'
import { accountStream } from '../../../domain/account/events.ts'
import { dedupStream } from '../../../domain/dedup/events.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { Taken } from '../../../domain/arrival/arrival.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { accountFacts, shownOf } from '../../harness/accounts.ts'
import { bestTime } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import { USER, arrival, openWorld, vietcombankPush, vietcombankSms, type World } from './world.ts'
import { transactionOf } from './transaction-of.ts'

/** A store that counts its calls. */
const counted = (store: EventStore): EventStore & { reads: number; appends: number } => {
  const counting = {
    ...store,
    reads: 0,
    appends: 0,
    read: (slices: Parameters<EventStore['read']>[0]) => {
      counting.reads++
      return store.read(slices)
    },
    append: (units: Parameters<EventStore['append']>[0]) => {
      counting.appends++
      return store.append(units)
    },
  }
  return counting
}

describe('capture', () => {
  let world: World
  beforeEach(async () => (world = await openWorld()))
  afterEach(() => world.close())

  const takeOne = async (capture = world.process(), ...given: ReturnType<typeof arrival>[]): Promise<Taken> =>
    (await capture.take(given))[0]!

  it('makes one read and one append per group if the window is cached, even with copies, resends and better copies', async () => {
    const store = counted(world.store)
    const capture = world.process({ store })
    await capture.take([vietcombankSms(0), vietcombankSms(1), vietcombankPush(2, 'NGUYEN...')])
    store.reads = store.appends = 0
    const group = [
      vietcombankPush(0),
      vietcombankSms(1),
      vietcombankSms(2, 'NGUYEN DH5', { stamp: 3_000 }),
      ...Array.from({ length: 50 }, (_, n) => vietcombankSms(10 + n)),
    ]
    const taken = (await Promise.all(group.map((each) => capture.take([each])))).flat()
    expect(taken.map((each) => transactionOf(each).webhook_status).slice(0, 3)).to.deep.equal([
      'already_run',
      'pending',
      'already_run',
    ])
    expect({ reads: store.reads, appends: store.appends }).to.deep.equal({ reads: 1, appends: 1 })
    expect((await world.transactions()).size).to.equal(55)
  })

  it('reads nothing while it has account and window in memory, and obeys a change of the account that another process stored', async () => {
    const store = counted(world.store)
    const capture = world.process({ store })
    await takeOne(capture, vietcombankSms(1))
    store.reads = 0
    transactionOf(await takeOne(capture, vietcombankSms(2)))
    expect(store.reads).to.equal(0)
    const { revision } = (await world.events(accountStream(USER))).at(-1)!
    await world.write(accountStream(USER), [{ type: 'DeviceRemoved', data: { user_id: USER, device_id: 1 } }], revision)
    expect(await takeOne(capture, vietcombankSms(3))).to.deep.equal({ kind: 'unauthorized' })
    expect(store.reads).to.equal(1)
    expect((await world.transactions()).size).to.equal(2)
  })

  it('collects the next group while the current one runs', async () => {
    const store = counted(world.store)
    const capture = world.process({ store })
    await capture.take([vietcombankSms(0)])
    store.appends = 0
    let running = () => {}
    const begun = new Promise<void>((resolve) => (running = resolve))
    const { append } = store
    store.append = (units) => {
      running()
      return append(units)
    }
    const first = capture.take([vietcombankSms(1)])
    await begun
    const others = Array.from({ length: 100 }, (_, n) => capture.take([vietcombankSms(2 + n)]))
    await Promise.all([first, ...others])
    expect(store.appends).to.equal(2)
    expect((await world.transactions()).size).to.equal(102)
  })

  it('puts notifications that arrive shortly after a group started into one next group, whatever their accounts', async () => {
    for (const user of [8, 9]) await world.write(accountStream(user), accountFacts(user), NO_STREAM)
    const groups = new Map<number, number>()
    const capture = world.process({ onTaken: ({ user_id, group }) => groups.set(user_id!, group) })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const take = (user: number, number: number) =>
      capture.take([{ ...vietcombankSms(number), credential: shownOf(user, 1) }])
    let number = 0
    // The group is collected for 4 ms. On a busy machine the turns of the event loop may take longer, so the test tries again.
    await eventually(async () => {
      number++
      const taken = [take(USER, number)]
      for (const user of [8, 9]) {
        await turn()
        await turn()
        taken.push(take(user, number))
      }
      await Promise.all(taken)
      expect(groups.get(USER)).to.equal(1)
      return groups.get(8) === 2 && groups.get(9) === 2
    })
  })

  it('refuses more notifications than may wait at a time, and takes the next ones', async () => {
    const capture = world.process()
    const many = Array.from({ length: 20_001 }, () => vietcombankSms(0))
    expect(await capture.take(many).catch((error: unknown) => error)).to.be.instanceOf(StoreUnavailable)
    transactionOf(await takeOne(capture, vietcombankSms(1)))
    expect((await world.transactions()).size).to.equal(1)
  })

  it('reports an outage to the caller, treats nothing as stored, and continues afterwards', async () => {
    let down: 'read' | 'append' | 'after append' | null = null
    const store: EventStore = {
      ...world.store,
      read: (slices) => (down === 'read' ? Promise.reject(new StoreUnavailable('down')) : world.store.read(slices)),
      append: async (units) => {
        if (down === 'append') throw new StoreUnavailable('down')
        const results = await world.store.append(units)
        if (down === 'after append') throw new StoreUnavailable('the answer was lost')
        return results
      },
    }
    const warm = world.process({ store })
    await takeOne(warm, vietcombankSms(0))
    for (const [number, how] of (['read', 'append', 'after append'] as const).entries()) {
      down = how
      const capture = how === 'read' ? world.process({ store }) : warm
      const failure = await capture.take([vietcombankSms(number + 1)]).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(StoreUnavailable)
      down = null
      transactionOf(await takeOne(capture, vietcombankSms(number + 1)))
      transactionOf(await takeOne(capture, vietcombankSms(number + 1)))
    }
    expect((await world.transactions()).size).to.equal(4)
    expect((await world.events(dedupStream(USER, 'VCB'))).length).to.equal(4)
  })

  it('reports a notification that it refused in time once, even if its group fails later', async () => {
    let begin = () => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    let fail = () => {}
    const failed = new Promise<never>((_, reject) => (fail = () => reject(new StoreUnavailable('down'))))
    const store: EventStore = { ...world.store, append: () => (begin(), failed) }
    const outcomes: string[] = []
    const capture = world.process({ store, mostWaitMs: 400, onTaken: ({ outcome }) => outcomes.push(outcome) })
    const refusal = await takeOne(capture, vietcombankSms(0)).catch((error: unknown) => error)
    expect(refusal).to.be.instanceOf(StoreUnavailable)
    await begun
    fail()
    await new Promise((resolve) => setImmediate(resolve))
    expect(outcomes).to.deep.equal(['failed'])
  })

  it('refuses notifications in time while the store is silent, and recognises them when they are sent again', async () => {
    const hanging: (() => void)[] = []
    let isSilent = false
    const silently = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      const result = await call()
      if (isSilent) await new Promise<void>((resolve) => hanging.push(resolve))
      return result
    }
    const store: EventStore = {
      ...world.store,
      read: (slices) => silently(() => world.store.read(slices)),
      append: (units) => silently(() => world.store.append(units)),
    }
    const opened = () =>
      world.process({ store, ids: openIds({ store, clock: { now: () => new Date() } }), mostWaitMs: 400 })
    let capture = opened()
    const refusedAfter = async (): Promise<number> => {
      isSilent = false
      capture = opened()
      await eventually(() => takeOne(capture, vietcombankSms(0)))
      isSilent = true
      const began = performance.now()
      // The first group hangs in the store. The others wait for their turn.
      const waiting = Array.from({ length: 20 }, (_, number) => capture.take([vietcombankSms(number)]))
      const failures = await Promise.all(waiting.map((taken) => taken.catch((error: unknown) => error)))
      for (const failure of failures) expect(failure).to.be.instanceOf(StoreUnavailable)
      return performance.now() - began
    }
    expect(await bestTime(1_400, refusedAfter)).to.be.below(1_400)
    const waited = await capture.take([vietcombankSms(21)], 400).catch((error: unknown) => error)
    expect(waited).to.be.instanceOf(StoreUnavailable)
    isSilent = false
    for (const answer of hanging) answer()
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, number) => eventually(() => takeOne(capture, vietcombankSms(number)))),
    )
    expect(new Set(again.map((taken) => transactionOf(taken).id)).size).to.equal(20)
    expect((await world.transactions()).size).to.be.within(20, 21)
  })
})
