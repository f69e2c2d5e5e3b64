import { setTimeout as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { collectNodeMetrics } from '../../../../adapters/telemetry/node-metrics.ts'
import { eventually } from '../../../harness/eventually.ts'

const LAGS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (of) => `baoco_nodejs_eventloop_lag_${of}_seconds`,
)

describe('the metrics of Node.js', () => {
  let registry: Registry
  before(() => collectNodeMetrics((registry = new Registry())))

  /** @returns the values of metrics without labels */
  const collected = async (): Promise<Map<string, number>> => {
    const lines = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'))
    return new Map(lines.map((line) => line.split(' ')).map(([name, value]) => [name!, Number(value)]))
  }

  it('contain the usual figures', async () => {
    const values = await collected()
    expect(values.get('baoco_process_resident_memory_bytes')).to.be.above(1e6)
    expect(values.get('baoco_nodejs_eventloop_lag_seconds')).to.be.at.least(0)
  })

  it('show the longest lag of the event loop since the last collection', async () => {
    const longest = async (): Promise<number> => {
      let values = new Map<string, number>()
      const hasAll = async (): Promise<boolean> => {
        values = await collected()
        return LAGS.every((name) => values.has(name))
      }
      await eventually(hasAll)
      return values.get('baoco_nodejs_eventloop_lag_max_seconds')!
    }
    await longest()
    let [blocked, afterwards] = [0, 0]
    // The machine may stand still afterwards. The repetitions give it time to recover.
    for (let run = 0; run < 10 && afterwards >= blocked; run++) {
      // The first measurement after a collection has nothing to compare with.
      for (let block = 0; block < 4; block++) {
        for (const end = performance.now() + 300; performance.now() < end;);
        await nextTurn()
      }
      blocked = await longest()
      expect(blocked).to.be.within(0.2, 10)
      afterwards = await longest()
    }
    expect(afterwards).to.be.below(blocked)
  })
})
