import { expect } from 'chai'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import type { Capture } from '../../../workflows/capture/capture.ts'
import { stepwise } from '../../harness/stepwise-store.ts'
import { STORES } from './stores.ts'
import { USER, openWorld, takeUntilAnswered, vietcombankPush, vietcombankSms, type World } from './world.ts'

interface Case {
  name: string
  /** Captured normally, before the crash. */
  before: Arrival[]
  /** Captured together by the process that dies. Each is sent again later. */
  dying: Arrival[]
  /** Another notification of the same event, from another source. */
  other: Arrival
  /** The number of streams that the dying process writes. */
  streams: number
}

const cut = vietcombankPush(1, 'NGUYEN VAN...', { stamp: 0 })
const sms = vietcombankSms(1, 'NGUYEN VAN AN DH1001')
const push = vietcombankPush(1, 'NGUYEN VAN AN DH1001')
const other = vietcombankPush(1, 'NGUYEN VAN AN DH1001', { device: 2, stamp: 4_000 })

const cases: Case[] = [
  { name: 'a first notification', before: [], dying: [sms], other, streams: 2 },
  { name: 'a copy', before: [sms], dying: [push], other, streams: 2 },
  { name: 'a better copy', before: [cut], dying: [sms], other, streams: 3 },
  { name: 'a first notification and its copy', before: [], dying: [sms, push], other, streams: 3 },
  { name: 'a first notification and its better copy', before: [], dying: [cut, sms], other, streams: 3 },
]

const idOf = (taken: Taken | undefined): number => {
  if (taken?.kind !== 'transaction') throw new Error(`no transaction: ${JSON.stringify(taken)}`)
  return taken.id
}

/** Every notification has its own record. One is sent; the others are copies of it. */
const expectOneEvent = async (world: World, ids: readonly number[], count: number): Promise<void> => {
  const all = await world.transactions()
  expect([...all.keys()].sort(), 'one record each').to.deep.equal([...new Set(ids)].sort())
  expect(all.size).to.equal(count)
  const [first, ...more] = [...all.values()].filter(({ webhook_status }) => webhook_status !== 'already_run')
  expect(more, 'only one is sent').to.deep.equal([])
  expect(first).to.include({ webhook_status: 'pending', order_id: 'DH1001', already_run_of: null })
  for (const each of all.values()) if (each !== first) expect(each.already_run_of).to.equal(first!.transaction_id)
}

for (const [on, openStore] of Object.entries(STORES))
  describe(`a crash during capture, on ${on}`, () => {
    let world: World
    beforeEach(async () => (world = await openWorld(openStore)))
    afterEach(() => world.close())

    for (const { name, before, dying, other, streams } of cases)
      for (let at = 0; at < streams; at++)
        for (const process of ['the same process', 'another process'])
          for (const way of ['sent again', 'a copy from elsewhere, then sent again'])
            it(`leaves one event: ${name}, crash after ${at} of ${streams} streams; ${way}, by ${process}`, async () => {
              const { store, dieAfter, isDead } = await world.mortal()
              const mortal: Capture = world.process({ store })
              const ids: number[] = []
              const take = async (capture: Capture, arrivals: readonly Arrival[]) =>
                ids.push(...(await takeUntilAnswered(capture, arrivals)).map(idOf))
              if (before.length > 0) await take(mortal, before)
              dieAfter(at)
              const failure = await mortal.take(dying).catch((error: unknown) => error)
              isDead()
              expect(failure).to.be.instanceOf(StoreUnavailable)
              const next = process === 'the same process' ? mortal : world.process()
              const fromElsewhere = way === 'sent again' ? [] : [other]
              for (const each of [...fromElsewhere, ...dying, ...before, ...dying]) await take(next, [each])
              await expectOneEvent(world, ids, before.length + dying.length + fromElsewhere.length)
            })
  })

describe('a process that pauses during capture', () => {
  let world: World
  beforeEach(async () => (world = await openWorld()))
  afterEach(() => world.close())

  it('answers as for a resend if another process finished its work meanwhile', async () => {
    let wake = () => {}
    const asleep = new Promise<void>((resolve) => (wake = resolve))
    let fallAsleep = () => {}
    const sleeping = new Promise<void>((resolve) => (fallAsleep = resolve))
    const slow = world.process({
      store: stepwise(world.store, async ({ stream }) => {
        if (!stream.startsWith('transaction-')) return
        fallAsleep()
        await asleep
      }),
    })
    const late = slow.take([sms])
    await sleeping
    const [again] = await world.process().take([sms])
    wake()
    expect(await late).to.deep.equal([again])
    expect((await world.transactions()).size).to.equal(1)
  })

  it('is waited for while it is only slow, and no other process writes in its place', async () => {
    let go = () => {}
    const held = new Promise<void>((resolve) => (go = resolve))
    let reach = () => {}
    const reached = new Promise<void>((resolve) => (reach = resolve))
    const slow = world.process({
      store: stepwise(world.store, async ({ stream }) => {
        if (!stream.startsWith('transaction-')) return
        reach()
        await held
      }),
    })
    const first = slow.take([sms])
    await reached
    const patient = world.process({ unfinishedMs: 20_000 })
    const copy = patient.take([push])
    const again = patient.take([sms])
    go()
    const [[original], [resent]] = await Promise.all([first, again])
    expect(resent).to.deep.equal(original)
    expect(idOf((await copy)[0])).to.not.equal(idOf(original))
    const streams = await world.events('transaction-')
    expect(streams.map(({ type }) => type)).to.deep.equal(['TransactionCaptured', 'TransactionCaptured'])
  })

  for (const atomic of [true, false])
    it(`does not complete a first transaction that was deleted meanwhile, on a store ${atomic ? 'with' : 'without'} transactions over streams`, async () => {
      const id = idOf((await world.process().take([cut]))[0])
      const deleted = { transaction_id: id, user_id: USER, captured_at: new Date(0).toISOString(), counted: true }
      const below = atomic ? world.store : stepwise(world.store)
      let faster = true
      const store: EventStore = {
        ...below,
        append: async (units) => {
          if (faster) await world.write(transactionStream(id), [{ type: 'TransactionDeleted', data: deleted }], 0)
          faster = false
          return below.append(units)
        },
      }
      expect(await world.process({ store }).take([sms])).to.deep.equal([{ kind: 'ignored', reason: 'deleted' }])
      const types = (await world.events('transaction-')).map(({ type }) => type)
      expect(types).to.deep.equal(['TransactionCaptured', 'TransactionDeleted'])
    })
})
