import { expect } from 'chai'
import type { CallResult } from '../../../../domain/ports.ts'
import type { EndpointUpdate } from '../../../../workflows/deliver/endpoint-updates.ts'
import { openEndpoints } from '../../../../workflows/deliver/endpoints.ts'
import type { Claimed, LaneName } from '../../../../workflows/deliver/queue.ts'

const came = (http_status: number, retry_after_s: number | null = null): CallResult => ({
  http_status,
  response_body: '',
  error: http_status < 300 ? null : `http_${http_status}`,
  retry_after_s,
  duration_ms: 1,
})

const claimed = (transaction_id: number, { watched = false, lane = 'first' as LaneName } = {}): Claimed =>
  ({
    transaction_id,
    rule_id: 7,
    user_id: 5,
    lane,
    endpoint: { name: 'https://shop.vn:443', watched, isPassedThrough: false },
  }) as Claimed

const setUp = ({ isAway = false } = {}) => {
  const sent: EndpointUpdate[] = []
  const answered: unknown[] = []
  const errors: unknown[] = []
  const endpoints = openEndpoints({
    send: (updates) => (sent.push(...updates), isAway ? Promise.reject(new Error('away')) : Promise.resolve([])),
    onStates: (states) => answered.push(states),
    onFailing: () => {},
    onError: (error) => (isAway ? errors.push(error) : expect.fail(String(error))),
  })
  return { sent, endpoints, answered, errors }
}

describe('the result of a call', () => {
  it('is not reported if the endpoint answers and has no known failure', async () => {
    const { sent, endpoints } = setUp()
    for (let transaction = 1; transaction <= 100; transaction++) endpoints.note(claimed(transaction), came(200))
    await endpoints.end()
    expect(sent).to.deep.equal([])
  })

  it('is reported if the endpoint fails, and if it answers after that', async () => {
    const { sent, endpoints } = setUp()
    endpoints.note(claimed(1), came(500))
    await endpoints.end()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.include({ answered: false, failures: 1 })
    endpoints.note(claimed(2), came(200))
    await endpoints.end()
    expect(sent).to.have.length(2)
    expect(sent[1]).to.include({ answered: true, failures: 0 })
    endpoints.note(claimed(3), came(200))
    await endpoints.end()
    expect(sent).to.have.length(2)
  })

  it('is remembered for the newest 10,000 endpoints that fail, because owners may change their URLs for ever', async () => {
    const { sent, endpoints } = setUp()
    const at = (shop: number): Claimed => {
      const call = claimed(shop)
      return { ...call, endpoint: { ...call.endpoint, name: `https://shop-${shop}.vn:443` } }
    }
    for (let shop = 0; shop <= 10_000; shop++) endpoints.note(at(shop), came(500))
    await endpoints.end()
    sent.length = 0
    for (const shop of [0, 1, 10_000]) endpoints.note(at(shop), came(200))
    await endpoints.end()
    expect(sent.map(({ endpoint }) => endpoint)).to.deep.equal(['https://shop-1.vn:443', 'https://shop-10000.vn:443'])
  })

  it('names each failing delivery once, and the longest wait that the endpoint asked for', async () => {
    const { sent, endpoints } = setUp()
    for (const [transaction, wait] of [
      [1, 60],
      [1, 120],
      [2, 30],
    ] as const)
      endpoints.note(claimed(transaction), came(503, wait))
    await endpoints.end()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.deep.include({ failures: 3, failing: ['1/7', '2/7'], wait: 120 })
  })

  it('lets waiting calls continue even if the other workers cannot be reached', async () => {
    const { endpoints, answered, errors } = setUp({ isAway: true })
    endpoints.note(claimed(1), came(500))
    await endpoints.end()
    expect([answered, errors.length]).to.deep.equal([[[]], 1])
  })

  it('is reported if other workers saw failures, and marks a manual retry', async () => {
    const { sent, endpoints } = setUp()
    endpoints.note(claimed(1, { watched: true }), came(200))
    await endpoints.end()
    endpoints.note(claimed(2, { lane: 'manual' }), came(404))
    await endpoints.end()
    endpoints.note(claimed(2, { lane: 'manual' }), came(200))
    await endpoints.end()
    expect(sent.map(({ answered, byHand }) => [answered, byHand])).to.deep.equal([
      [true, false],
      [true, false],
      [true, true],
    ])
  })
})
