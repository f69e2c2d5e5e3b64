import { expect } from 'chai'
import { sumsByBank } from '../../../../web/app/month-sums.ts'

describe('the sums of a month', () => {
  it('are exact, and separate for each bank and currency', () => {
    const day = { date: '2026-11-02', count: 1, success: 1, failed: 0 }
    expect(
      sumsByBank([
        { ...day, bank_code: 'VCB', currency: 'VND', credit: '9007199254740993.00', debit: '0.00' },
        { ...day, bank_code: 'ACB', currency: 'VND', credit: '0.00', debit: '5.50' },
        { ...day, bank_code: 'VCB', currency: 'USD', credit: '1.25', debit: '0.00' },
        { ...day, date: '2026-11-03', bank_code: 'VCB', currency: 'VND', credit: '2.00', debit: '7.00' },
      ]),
    ).to.deep.equal([
      { bank: 'ACB', currency: 'VND', credit: '0.00', debit: '5.50' },
      { bank: 'VCB', currency: 'USD', credit: '1.25', debit: '0.00' },
      { bank: 'VCB', currency: 'VND', credit: '9007199254740995.00', debit: '7.00' },
    ])
    expect(sumsByBank([])).to.deep.equal([])
  })
})
