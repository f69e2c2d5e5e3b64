import { expect } from 'chai'
import type { CallResult } from '../../../../domain/ports.ts'
import type { EndpointUpdate } from '../../../../workflows/deliver/endpoint-updates.ts'
import { Endpoints } from '../../../../workflows/deliver/endpoints.ts'
import type { Claimed, LaneName } from '../../../../workflows/deliver/queue.ts'

const came = (http_status: number): CallResult => ({
  http_status,
  response_body: '',
  error: http_status < 300 ? null : `http_${http_status}`,
  retry_after_s: null,
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

const setUp = () => {
  const sent: EndpointUpdate[] = []
  const endpoints = new Endpoints({
    send: (updates) => (sent.push(...updates), Promise.resolve([])),
    onStates: () => {},
    onFailing: () => {},
    onError: (error) => expect.fail(String(error)),
  })
  return { sent, endpoints }
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
  })

  it('is reported if other workers saw failures, and marks a manual retry', async () => {
    const { sent, endpoints } = setUp()
    endpoints.note(claimed(1, { watched: true }), came(200))
    await endpoints.end()
    endpoints.note(claimed(2, { lane: 'manual' }), came(200))
    await endpoints.end()
    expect(sent.map(({ answered, byHand }) => [answered, byHand])).to.deep.equal([
      [true, false],
      [true, true],
    ])
  })
})
