/** How banks write what somebody searches for. */
import { expect } from 'chai'
import { bankSpelling } from '../../../../web/app/bank-spelling.ts'

describe('the spelling of banks', () => {
  it('has no marks', () => {
    expect(bankSpelling('chuyển tiền Hoa')).to.equal('chuyen tien hoa')
    expect(bankSpelling('Đh1042')).to.equal('dh1042')
  })

  it('has commas in amounts', () => {
    for (const amount of ['2.718.280', '2718280', '+2.718.280 ₫', '−2.718.280đ', '2718280 VND', '2.718.280 vnđ'])
      expect(bankSpelling(amount), amount).to.equal('2,718,280')
    expect(bankSpelling('150000')).to.equal('150,000')
    expect(bankSpelling('1.000')).to.equal('1,000')
  })

  it('is null if it is the same', () => {
    for (const text of [
      '',
      'DH1042',
      'dh 1042',
      '2,718,280',
      '123',
      '0011000415567',
      '1.5',
      '12.34.567',
      '150.000.HOA',
    ])
      expect(bankSpelling(text), text).to.equal(null)
  })
})
