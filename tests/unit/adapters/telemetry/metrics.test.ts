import { expect } from 'chai'
import { eventually } from '../../../harness/eventually.ts'
import { openMetrics } from '../../../../adapters/telemetry/metrics.ts'

describe('metrics', () => {
  it('of mailboxes that fail are left out in a process that does not know them', async () => {
    const { registry, watchMailboxes } = openMetrics()
    const failing = /^baoco_mailboxes_failing .*$/m
    expect(await registry.metrics()).to.not.match(failing)
    watchMailboxes(async () => 0)
    expect((await registry.metrics()).match(failing)?.[0]).to.equal('baoco_mailboxes_failing 0')
  })

  it('of the lag of the read models grow while it is not known, and never disappear', async () => {
    const { registry, watchProjection } = openMetrics()
    let lag: number | null = null
    watchProjection('main', { lag: async () => lag, parkedStreams: async () => 0, isActive: () => false })
    const shown = async () =>
      Number((await registry.metrics()).match(/^baoco_projection_lag_seconds\{projector="main"\} (.*)$/m)![1])
    expect(await shown(), 'since the start').to.be.within(0, 1)
    lag = 2_000
    expect(await shown()).to.equal(2)
    lag = null
    const first = await shown()
    expect(first).to.be.within(2, 3)
    await eventually(async () => (await shown()) > first)
    lag = 0
    expect(await shown()).to.equal(0)
  })
})
