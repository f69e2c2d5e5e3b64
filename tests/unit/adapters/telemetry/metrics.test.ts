import { expect } from 'chai'
import { openMetrics } from '../../../../adapters/telemetry/metrics.ts'

describe('metrics', () => {
  it('of mailboxes that fail are left out in a process that does not know them', async () => {
    const { registry, watchMailboxes } = openMetrics()
    const failing = /^baoco_mailboxes_failing .*$/m
    expect(await registry.metrics()).to.not.match(failing)
    watchMailboxes(async () => 0)
    expect((await registry.metrics()).match(failing)?.[0]).to.equal('baoco_mailboxes_failing 0')
  })

  it('of the lag of the read models are left out while it is not known', async () => {
    const { registry, watchProjection } = openMetrics()
    let lag: number | null = 2_000
    watchProjection('main', { lag: async () => lag, parkedStreams: async () => 0, isActive: () => false })
    const shown = async () => (await registry.metrics()).match(/^baoco_projection_lag_seconds\{.*$/m)?.[0]
    expect(await shown()).to.equal('baoco_projection_lag_seconds{projector="main"} 2')
    lag = null
    expect(await shown()).to.equal(undefined)
    lag = 0
    expect(await shown()).to.equal('baoco_projection_lag_seconds{projector="main"} 0')
  })
})
