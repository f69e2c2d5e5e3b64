import { expect } from 'chai'
import { Registry } from 'prom-client'
import { watchDelivery, watchQueue } from '../../../adapters/telemetry/delivery-metrics.ts'
import { deliveryNumbers } from '../../../adapters/postgres/delivery-queue/numbers.ts'
import { installationStatus } from '../../../adapters/postgres/ops/installation-status.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { search } from '../../../projections/search.ts'
import { status } from '../../harness/shop.ts'
import { openDeliverySetting, type DeliverySetting } from './setting.ts'

describe('the metrics of delivery', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  it('count overdue deliveries without the held ones, and endpoints with an open breaker', async () => {
    const rule = await setting.rule('https://a.vn/')
    const held = await setting.rule('https://b.vn/', { user: 6 })
    await setting.capture([rule], { count: 3, age: 200 })
    await setting.capture([held], { user: 6, count: 2, age: 200 })
    await setting.query("INSERT INTO ops.endpoint (user_id, endpoint, opened_at) VALUES (6, 'https://b.vn:443', now())")
    await setting.projector.passed((await setting.store.end())!, 10_000)
    // The status for the operator contains the position of each projector.
    await createSchema(setting.tables, search)
    const { oldest, ...numbers } = await deliveryNumbers(setting.database)
    expect(numbers).to.deep.equal({ overdue: 3, open: 1, asked_to_wait: 0 })
    expect(oldest.map(({ lane }) => lane)).to.deep.equal(['first'])
    expect(oldest[0]!.seconds).to.be.within(139, 200)
    const { lanes, breakers, ...status } = await installationStatus(setting.database, () => Promise.resolve(0))
    expect(status.overdue, 'as the operator is shown it').to.equal(3)
    expect(lanes).to.deep.equal([{ lane: 'first', open: 5, due: 5 }])
    expect(breakers.map(({ user_id, endpoint }) => [user_id, endpoint])).to.deep.equal([[6, 'https://b.vn']])
  })

  it('are left out, not 0, while the database does not answer', async () => {
    const registry = new Registry()
    let isDown = false
    watchQueue(registry, () => (isDown ? Promise.reject(new Error('down')) : deliveryNumbers(setting.database)))
    const overdue = /^baoco_deliveries_overdue .*$/m
    expect(await registry.metrics()).to.match(overdue)
    isDown = true
    expect(await registry.metrics()).to.not.match(overdue)
  })

  it('have no label values from untrusted input', async () => {
    const registry = new Registry()
    const numbers = () => deliveryNumbers(setting.database)
    const count = watchDelivery(registry, { use: () => ({ first: { inFlight: 1, waiting: 2 } }), numbers })
    const shop = await setting.shop(status(418))
    const worker = await setting.worker({
      onAttempt: (report) => count({ ...report, bank_code: report.attempt > 1 ? 'evil"}' : 'VCB' }),
    })
    const [transaction] = await setting.capture([await setting.rule(shop.url)])
    await setting.untilStatus(transaction!, 'failed')
    // An attempt is counted after it is recorded.
    await worker.stop()
    const text = await registry.metrics()
    expect(text).to.include('baoco_bank_attempts_total{bank="VCB",outcome="retrying",class="http_4xx"} 1')
    expect(text).to.include('bank="other"').and.not.include('evil')
    expect(text).to.include('baoco_deliveries_in_flight{lane="first"} 1')
    expect(text).to.include('baoco_lane_waiting{lane="first"} 2')
    expect(text).to.include('baoco_deliveries_overdue 0')
  })
})
