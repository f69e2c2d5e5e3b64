import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import type { Batch } from '../../../../domain/ports.ts'
import { main } from '../../../../projections/main.ts'
import { type Pressed, openPace } from '../../../../projections/engine/pace.ts'
import { openWaiters } from '../../../../projections/engine/waiters.ts'

const batchOf = (events: number, live = true): Batch => ({
  events: Array.from({ length: events }, () => ({}) as StoredEvent),
  checkpoint: '1',
  live,
})

const paceOf = (now: { pressed?: Pressed; isLive?: boolean; lateMs?: number }) => {
  const { pressed = null, isLive = true, lateMs = 0 } = now
  const waiters = openWaiters((a, b) => Number(a) > Number(b))
  // A rest that no test could wait for.
  const definition = {
    ...main,
    canWait: () => true,
    restMs: 3_600_000,
    mostLateMs: 1_000,
    heldBackMs: { few: 1, many: 2 },
  }
  const options = { definition, pressed: () => pressed, waiters, isLive: () => isLive, lateMs: () => lateMs }
  return { pace: openPace(options), waiters }
}

const NEVER = new AbortController().signal

describe('the pace of a projector', () => {
  it('holds only live batches with events back, small ones longer', () => {
    const { pace } = paceOf({})
    expect([batchOf(1), batchOf(1, false), batchOf(0)].map((batch) => pace.canWait(batch))).to.deep.equal([
      true,
      false,
      false,
    ])
    expect([batchOf(59), batchOf(60)].map((batch) => pace.mostMs(batch))).to.deep.equal([1, 2])
  })

  it('does not rest while it catches up, is late, or a caller waits', async () => {
    await paceOf({ isLive: false }).pace.giveWay(NEVER)
    await paceOf({ pressed: 'delivering', lateMs: 1_000 }).pace.giveWay(NEVER)
    for (const pressed of [undefined, 'delivering'] as const) {
      const { pace, waiters } = paceOf(pressed ? { pressed } : {})
      const waiting = waiters.passed('5', 60_000)
      await pace.giveWay(NEVER)
      waiters.reached('5')
      await waiting
    }
  })

  it('ends its rest when it is stopped', async () => {
    const stopping = new AbortController()
    const resting = paceOf({}).pace.giveWay(stopping.signal)
    stopping.abort()
    await resting
  })
})
