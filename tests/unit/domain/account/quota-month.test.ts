import { expect } from 'chai'
import { monthStart } from '../../../../domain/account/quota-month.ts'

describe('the month that quotas count by', () => {
  it('begins at midnight in Vietnam', () => {
    for (const [at, start] of [
      ['2026-03-10T05:00:00.000Z', '2026-02-28T17:00:00.000Z'],
      ['2026-02-28T16:59:59.999Z', '2026-01-31T17:00:00.000Z'],
      ['2026-02-28T17:00:00.000Z', '2026-02-28T17:00:00.000Z'],
      ['2026-12-31T17:00:00.000Z', '2026-12-31T17:00:00.000Z'],
    ] as const)
      expect(monthStart(new Date(at)).toISOString()).to.equal(start)
  })
})
