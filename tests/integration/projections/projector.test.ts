import { expect } from 'chai'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

describe('projector', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  it('says of every delivery what the transaction itself says', async () => {
    const history = new History(1).grow(1_500)
    await setting.append(history.decided)
    await setting.catchUp()
    const { delivery, transaction } = await setting.rows()
    const told = [...history.transactions.values()].flatMap((each) => (each?.phase === 'live' ? [each] : []))
    const expected = told
      .flatMap(({ transaction_id, deliveries }) =>
        [...deliveries].map(([rule_id, each]) => ({
          transaction_id,
          rule_id,
          status: each.status,
          attempt: each.attempt,
          round_base: each.status === 'open' ? each.round_base : undefined,
        })),
      )
      .sort((a, b) => a.transaction_id - b.transaction_id || a.rule_id - b.rule_id)
    const rows = delivery as {
      transaction_id: number
      rule_id: number
      status: string
      attempt: number
      round_base: number
    }[]
    expect(
      rows.map(({ transaction_id, rule_id, status, attempt, round_base }) => ({
        transaction_id,
        rule_id,
        status,
        attempt,
        round_base: status === 'open' ? round_base : undefined,
      })),
    ).to.deep.equal(expected)
    expect(new Set(rows.map(({ status }) => status))).to.include.keys('open', 'succeeded', 'failed', 'ended')
    expect(
      (transaction as { id: number; webhook_status: string }[]).map((row) => [row.id, row.webhook_status]),
    ).to.deep.equal(told.map((each) => [each.transaction_id, each.webhook_status]))
  })
})
