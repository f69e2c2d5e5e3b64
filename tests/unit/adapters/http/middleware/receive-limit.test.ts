import { expect } from 'chai'
import type { ApiContext } from '../../../../../adapters/http/context.ts'
import { receiveLimit } from '../../../../../adapters/http/middleware/receive-limit.ts'
import type { CounterFor } from '../../../../../adapters/http/middleware/rate-limits.ts'

const counterFor: CounterFor = () => {
  const counts = new Map<string, number>()
  const add = (caller: string, points: number) => {
    counts.set(caller, (counts.get(caller) ?? 0) + points)
    return { calls: counts.get(caller)!, endsInMs: 60_000 }
  }
  return Object.assign((caller: string, points = 1) => add(caller, points), {
    undo: (caller: string, points = 1) => void add(caller, -points),
  })
}

describe('the limit of receiving', () => {
  it('looks up only as many tokens of an address over its budget as the budget has calls', async () => {
    const lookedUp: string[] = []
    const limit = receiveLimit({
      limits: { receive: { requests: 3, seconds: 60 } } as never,
      counterFor,
      isGood: (shown) => {
        lookedUp.push(shown.token_hash)
        return Promise.resolve(false)
      },
    })
    let admitted = 0
    for (let call = 1; call <= 12; call++) {
      const { step } = limit.by(() => ({ kind: 'device', user_id: 1, token_hash: `${call}` }))
      const context = { ip: '192.0.2.1', set: () => {} } as unknown as ApiContext
      await step!(context, () => Promise.resolve(void admitted++)).catch(() => {})
    }
    expect(admitted).to.equal(3)
    expect(lookedUp).to.deep.equal(['4', '5', '6'])
  })
})
