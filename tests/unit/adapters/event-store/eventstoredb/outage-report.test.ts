import { expect } from 'chai'
import { type Outage, openOutageReport } from '../../../../../adapters/event-store/eventstoredb/outage-report.ts'
import { eventually } from '../../../../harness/eventually.ts'

describe('the report of an outage of EventStoreDB', () => {
  it('is made once with the first failure, and once with their number when the server answers again', async () => {
    const began: unknown[] = []
    const ended: Outage[] = []
    const report = openOutageReport(
      (error) => began.push(error),
      (outage) => ended.push(outage),
    )
    report.answered()
    for (let outage = 1; outage <= 2; outage++) {
      for (let n = 1; n <= 70; n++) report.failed(`${outage}.${n}`)
      report.answered()
      // It has not ended: one of the calls still fails.
      report.failed('late')
      await eventually(() => {
        report.answered()
        return ended.length === outage
      })
    }
    report.close()
    expect(began).to.deep.equal(['1.1', '2.1'])
    expect(ended.map(({ failures }) => failures)).to.deep.equal([71, 71])
    for (const { seconds } of ended) expect(seconds).to.be.within(0, 10)
  })
})
