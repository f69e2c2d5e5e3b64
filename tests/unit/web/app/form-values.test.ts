import { expect } from 'chai'
import { changedValues, wholeNumber } from '../../../../web/app/form-values.ts'

describe('the values of a form', () => {
  it('are whole numbers as people write them', () => {
    for (const text of ['150000', '150.000', '150,000', '150 000', ' 150\u00a0000 '])
      expect(wholeNumber(text), text).to.equal(150_000)
    expect([wholeNumber('2.500.000'), wholeNumber('60'), wholeNumber(' ')]).to.deep.equal([2_500_000, 60, null])
  })

  it('stay text if they are not a whole number, so that the API refuses them', () => {
    for (const text of ['1.5', '150k', '15.00', '-1', '1e3', '12.34.567']) expect(wholeNumber(text)).to.equal(text)
  })

  it('are sent only if they were changed', () => {
    const before = { name: 'Kho', banks: ['VCB'], min: null as number | null, system: 7 as number | undefined }
    expect(changedValues(before, { ...before, banks: ['VCB'] })).to.deep.equal({})
    expect(changedValues(before, { ...before, name: 'Quán', min: 5 })).to.deep.equal({ name: 'Quán', min: 5 })
    expect(changedValues(before, { ...before, system: undefined }), 'not shown').to.deep.equal({})
    expect(changedValues({ min: 5 as number | null }, { min: null })).to.deep.equal({ min: null })
  })
})
