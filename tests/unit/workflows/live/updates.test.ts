import { expect } from 'chai'
import { parseEvent } from '../../../../domain/parse-event.ts'
import { liveUpdateOf } from '../../../../workflows/live/updates.ts'
import { captured } from '../../../integration/http/captured.ts'

describe('a live message', () => {
  it('has at most 300 bytes, with the longest values', () => {
    const { type, data } = captured(2_000_000_000, 2_000_000_000, {
      webhook_status: 'plan_upgraded',
      bank_code: 'VIETTELMONEY',
      amount: '-999999999999.00',
      order_id: 'ABCDEFGHIJ'.repeat(4),
    })
    const event = parseEvent({
      id: '4b0f5b2a-0000-4000-8000-000000000000',
      stream: 'transaction-1',
      revision: 0,
      checkpoint: '1',
      type,
      version: 1,
      data,
      metadata: { user_id: 1, at: '2026-03-10T05:00:00.000Z', correlation_id: 'c', causation_id: 'd' },
    } as never)
    const update = liveUpdateOf(event)
    expect(update).to.include({ what: 'captured' })
    expect(Buffer.byteLength(JSON.stringify(update))).to.be.at.most(300)
  })
})
