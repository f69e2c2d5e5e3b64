import { expect } from 'chai'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import type { NotificationSeen } from '../../../domain/dedup/events.ts'
import type { Capture } from '../../../workflows/capture/capture.ts'
import { stepwise } from '../../harness/stepwise-store.ts'
import { STORES } from './stores.ts'
import { openWorld, vietcombankPush, vietcombankSms, type World } from './world.ts'

const idOf = (taken: Taken): number => {
  if (taken.kind !== 'transaction') throw new Error(`no transaction: ${JSON.stringify(taken)}`)
  return taken.id
}

describe('several processes that capture the same notifications', () => {
  let world: World
  beforeEach(async () => (world = await openWorld()))
  afterEach(() => world.close())

  for (const [on, openStore] of Object.entries(STORES))
    it(`record copies that arrive in the same millisecond as one event, on ${on}`, async () => {
      const there = await openWorld(openStore)
      try {
        const processes = [there.process(), there.process(), there.process()] as const
        for (let number = 0; number < 25; number++) {
          const copies = [
            vietcombankSms(number),
            vietcombankPush(number),
            vietcombankPush(number, undefined, { device: 2, stamp: 3_000 }),
          ]
          await Promise.all(copies.map((copy, n) => processes[n]!.take([copy])))
        }
        const all = [...(await there.transactions()).values()]
        expect(all).to.have.length(75)
        const sent = all.filter(({ webhook_status }) => webhook_status === 'pending')
        expect(new Set(sent.map(({ order_id }) => order_id)).size).to.equal(25)
        expect(sent).to.have.length(25)
        expect(all.filter(({ webhook_status }) => webhook_status === 'already_run')).to.have.length(50)
      } finally {
        await there.close()
      }
    })

  it('make one transaction per notification if two of them receive it at the same moment, 200 times', async () => {
    const [one, other] = [world.process(), world.process()]
    for (let number = 0; number < 200; number++) {
      const sms = vietcombankSms(number)
      const [[a], [b]] = await Promise.all([one.take([sms]), other.take([sms])])
      expect(a).to.deep.equal(b)
    }
    expect((await world.transactions()).size).to.equal(200)
  })

  for (const kind of ['with', 'without'] as const)
    it(`record every event once if eight share one deduplication window, on a store ${kind} transactions over streams`, async () => {
      const store = kind === 'with' ? world.store : stepwise(world.store)
      const processes = Array.from({ length: 8 }, (): Capture => world.process({ store, unfinishedMs: 2_000 }))
      const events = 24
      const notifications = Array.from({ length: events }, (_, number): Arrival[] => [
        vietcombankSms(number),
        vietcombankPush(number),
        vietcombankPush(number, undefined, { device: 2, stamp: 3_000 }),
      ]).flat()
      // Every notification reaches two processes, in either order.
      const taken = await Promise.all(
        notifications.flatMap((each, n) => [
          processes[n % 8]!.take([each]).then(([answer]) => ({ n, id: idOf(answer!) })),
          processes[(n * 3 + 1) % 8]!.take([each]).then(([answer]) => ({ n, id: idOf(answer!) })),
        ]),
      )
      const byNotification = new Map<number, Set<number>>()
      for (const { n, id } of taken) byNotification.set(n, (byNotification.get(n) ?? new Set<number>()).add(id))
      expect(
        [...byNotification.values()].every((ids) => ids.size === 1),
        'one record a notification',
      ).to.equal(true)

      const all = [...(await world.transactions()).values()]
      expect(all).to.have.length(notifications.length)
      const sent = all.filter(({ webhook_status }) => webhook_status === 'pending')
      expect(new Set(sent.map(({ order_id }) => order_id)).size).to.equal(events)
      expect(sent).to.have.length(events)
      for (const copy of all.filter(({ already_run_of }) => already_run_of !== null)) {
        const first = sent.find(({ transaction_id }) => transaction_id === copy.already_run_of)
        expect(first?.order_id).to.equal(copy.order_id)
      }
      const seen = (await world.events('book-')).map(({ data }) => data as NotificationSeen)
      expect(seen.filter(({ verdict }) => verdict === 'new')).to.have.length(events)
    })
})
