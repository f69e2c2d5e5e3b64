import { expect } from 'chai'
import { alertKind } from '../../../../domain/alert/events.ts'
import { today as english } from '../../../../web/texts/en/today.ts'
import { today as vietnamese } from '../../../../web/texts/vi/today.ts'

describe('the alerts on the dashboard', () => {
  it('have a text for each kind in both languages', () => {
    const kinds = [...alertKind.options].sort()
    expect(Object.keys(vietnamese.alerts).sort()).to.deep.equal(kinds)
    expect(Object.keys(english.alerts).sort()).to.deep.equal(kinds)
  })
})
