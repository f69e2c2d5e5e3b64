import { expect } from 'chai'
import { PLAN_LIMITS } from '../../../../domain/account/plan.ts'
import { giveUpUnread } from '../../../../workflows/scheduled/give-up-unread.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const at = (ms: number): string => new Date(NOW.getTime() + ms).toISOString()

describe('unread notifications over the limit', () => {
  it('are those over the limit of the plan that is in force', async () => {
    const bytes = PLAN_LIMITS.Pro.unread_bytes + 1
    const excess: [number, number][] = []
    const job = giveUpUnread({
      store: { append: async () => [] },
      clock: { now: () => NOW },
      overLimit: async () => [
        { user_id: 1, bytes, plan: 'Free', plan_expires_at: null },
        { user_id: 2, bytes, plan: 'Pro', plan_expires_at: at(1) },
        { user_id: 3, bytes, plan: 'Pro', plan_expires_at: at(0) },
        { user_id: 4, bytes: bytes - 1, plan: 'Pro', plan_expires_at: null },
      ],
      oldest: async (user_id, least) => {
        excess.push([user_id, least])
        return []
      },
    })
    expect(await job.run(new AbortController().signal)).to.equal(null)
    const overFree = bytes - PLAN_LIMITS.Free.unread_bytes
    expect(excess).to.deep.equal([
      [1, overFree],
      [2, 1],
      [3, overFree],
    ])
  })

  it('are all given up, at most 200 in one append, unless they were parsed meanwhile', async () => {
    const appended: [number, number[]][] = []
    const job = giveUpUnread({
      store: {
        append: async (units) => {
          appended.push([units.length, [...new Set(units.flat().map(({ expectedRevision }) => expectedRevision))]])
          return units.map((_, index) =>
            index === 0
              ? { ok: false, conflict: { stream: 'unread-1', revision: 1 } }
              : ({ ok: true, checkpoint: '1', revisions: [] } as never),
          )
        },
      },
      clock: { now: () => NOW },
      overLimit: async () => [
        { user_id: 1, bytes: PLAN_LIMITS.Free.unread_bytes + 1, plan: 'Free', plan_expires_at: null },
      ],
      oldest: async () => Array.from({ length: 450 }, (_, index) => ({ notification_id: index + 1 }) as never),
    })
    expect(await job.run(new AbortController().signal)).to.deep.equal({ given_up: 447 })
    expect(appended).to.deep.equal([
      [200, [0]],
      [200, [0]],
      [50, [0]],
    ])
  })
})
