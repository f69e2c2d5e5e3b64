import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { RelayProgress } from '../../../../workflows/relay/relay.ts'

const decidedAgo = (ms: number): StoredEvent => ({
  id: 'id',
  type: 'DeliveryEnded',
  data: { transaction_id: 1, rule_id: 1, reason: 'gone' },
  metadata: {
    user_id: 1,
    at: new Date(Date.now() - ms).toISOString(),
    correlation_id: '',
    causation_id: '',
    version: 1,
  },
  stream: 'transaction-1',
  revision: 0,
  checkpoint: '1',
})

describe('the lag of the relay', () => {
  it('is null in a standby process', () => {
    const progress = new RelayProgress()
    expect(progress.lag(new Date())).to.equal(null)
    progress.started()
    expect(progress.lag(new Date())).to.equal(0)
    progress.ended()
    expect(progress.lag(new Date())).to.equal(null)
  })

  it('is the age of the oldest unsent event, and grows while the broker is unavailable', async () => {
    const progress = new RelayProgress()
    progress.started()
    const events = [decidedAgo(5_000), decidedAgo(1_000)]
    progress.sending(events)
    const first = progress.lag(new Date())!
    expect(first).to.be.within(5_000, 60_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(progress.lag(new Date())).to.be.above(first)
    progress.sent(events, true)
    expect(progress.lag(new Date())).to.equal(0)
  })

  it('is the age of the newest sent event while more events wait', () => {
    const progress = new RelayProgress()
    progress.started()
    const events = [decidedAgo(90_000), decidedAgo(70_000)]
    progress.sending(events)
    progress.sent(events, false)
    expect(progress.lag(new Date())).to.be.within(70_000, 89_000)
  })
})

describe('the failure of the relay', () => {
  it('is what the relay waits for, until it works or another process relays', () => {
    const progress = new RelayProgress()
    const away = new Error('Kafka at 127.0.0.1:9: away')
    progress.started()
    expect(progress.failure()).to.equal(null)
    progress.waits(away)
    expect(progress.failure()).to.equal(away)
    progress.works()
    expect(progress.failure()).to.equal(null)
    progress.waits(away)
    progress.ended()
    expect(progress.failure()).to.equal(null)
  })
})
